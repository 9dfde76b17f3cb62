import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect } from "vitest";
import { logPath, type RecordedEvent, StoreError } from "../../../src/store/index.ts";
import { createPageReads } from "../../../src/store/sqlite/reads/page-reads.ts";
import { openForReading } from "../../../src/store/sqlite/tables/schema.ts";
import { proves } from "../../support/proves.ts";
import { sampled } from "../../support/sampled.ts";
import { type Answers, askEverything, everyEvent, examine, makeRichHome, start } from "../../support/store-damage.ts";
import { makeTestHome, type TestHome } from "../../support/store-home.ts";

const FLIPS_PER_PAGE = sampled(400, 1);
/** A page that is left out is like the one before it. */
const PAGE_STEP = sampled(1, 2);
const PAGE_BYTES = 4096;

describe("flipped bits on disk", () => {
  let home: TestHome;
  let whole: Buffer;
  let truth: readonly RecordedEvent[];
  let answers: Answers;

  beforeAll(async () => {
    home = await makeTestHome();
    await makeRichHome(home.path);
    whole = await readFile(logPath(home.path));
    const db = openForReading(logPath(home.path));
    truth = everyEvent(createPageReads(db));
    db.close();
    answers = askEverything(logPath(home.path), truth);
    return () => home[Symbol.asyncDispose]();
  });

  proves("LOG-15", "an undamaged log answers every read and passes every check", async () => {
    expect([...answers.values()].filter((answer) => answer instanceof StoreError)).toEqual([]);
    expect(await examine(logPath(home.path))).toBeNull();
    expect(start(home.path)).toBeNull();
    expect(truth.length).toBeGreaterThan(512);
  });

  proves(
    "LOG-15",
    "a changed event is named by stream and version: on reading, in the check and at the start",
    async () => {
      const written = truth.filter(({ type, data }) => type === "x.note@1" && data !== null).slice(sampled(-40, -10));
      for (const found of written) {
        const stored = Buffer.from(JSON.stringify(found.data));
        const at = whole.indexOf(stored);
        if (at < 0 || whole.indexOf(stored, at + 1) >= 0) continue;
        const damaged = await spoil(at + stored.length - 3, 0);
        const { stream, version } = found;
        const refusal = { code: "log_corrupt", details: { stream, version, problem: "data_mismatch" } };
        const answers = askEverything(logPath(damaged), truth);
        expect(answers.get(`events ${stream}`)).toMatchObject(refusal);
        expect(answers.get("events all")).toMatchObject(refusal);
        expect(await examine(logPath(damaged))).toMatchObject({
          code: "verify",
          details: [{ stream, version, seq: found.seq }],
        });
        expect(start(damaged)).toMatchObject(refusal);
      }
    },
  );

  proves(
    "LOG-15",
    "one flipped bit anywhere: no event is shown as another, and the check finds every visible change",
    async () => {
      const random = seeded(20_261_115);
      const pages = whole.length / PAGE_BYTES;
      for (let page = 0; page < pages; page += PAGE_STEP)
        for (let n = 0; n < FLIPS_PER_PAGE; n += 1) {
          // Half of them in the page header, half anywhere on the page.
          const within =
            (page / PAGE_STEP + n) % 2 === 0 ? Math.floor(random() * 110) : Math.floor(random() * PAGE_BYTES);
          await proveFlip(page * PAGE_BYTES + within, Math.floor(random() * 8));
        }
    },
    3_600_000,
  );

  /** A home whose log has one flipped bit. */
  async function spoil(byte: number, bit: number): Promise<string> {
    const damaged = join(home.path, "damaged");
    await mkdir(damaged, { recursive: true });
    const bytes = Buffer.from(whole);
    bytes[byte] = (bytes[byte] ?? 0) ^ (1 << bit);
    await writeFile(logPath(damaged), bytes);
    return damaged;
  }

  async function proveFlip(byte: number, bit: number): Promise<void> {
    const place = `byte ${byte} (page ${Math.floor(byte / PAGE_BYTES) + 1} + ${byte % PAGE_BYTES}), bit ${bit}`;
    const damaged = await spoil(byte, bit);

    const found = askEverything(logPath(damaged), truth);
    const report = await examine(logPath(damaged));
    const refusal = start(damaged);
    if (refusal !== null) {
      expect(["log_corrupt", "log_newer"], `${place}: ${refusal.message}`).toContain(refusal.code);
      expect(report, place).not.toBeNull();
      return;
    }
    const differing = [...found].filter(([question, answer]) => !sameAnswer(answers.get(question), answer));
    for (const [question, answer] of differing) {
      const what = `${place}: ${question}`;
      if (answer instanceof StoreError) expect(answer.code, `${what}: ${answer.message}`).toBe("log_corrupt");
      else proveNothingInvented(question, answer, found, what);
    }
    if (differing.length > 0)
      expect(report, `${place}: ${differing.map(([question]) => question).join()}`).not.toBeNull();
  }

  /** A damaged index may leave something out; what is shown must still be true. */
  function proveNothingInvented(question: string, answer: unknown, found: Answers, what: string): void {
    expect(question, what).not.toMatch(/^(events all|fold)/);
    // A stream that seems to end too early must be refused on the next append.
    if (question.startsWith("events "))
      expect(found.get(question.replace("events", "fold")), what).toBeInstanceOf(StoreError);
    const told = listed(answers.get(question));
    for (const entry of listed(answer)) expect(told, what).toContainEqual(entry);
  }
});

function listed(answer: unknown): readonly unknown[] {
  if (answer === null) return [];
  if (typeof answer === "object" && "events" in answer && Array.isArray(answer.events)) return answer.events;
  return Array.isArray(answer) ? answer : [answer];
}

function sameAnswer(told: unknown, found: unknown): boolean {
  return !(found instanceof StoreError) && JSON.stringify(told) === JSON.stringify(found);
}

/** Seeded: the same bits in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

import { copyFile, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect } from "vitest";
import { logPath, openSqliteStore, type RecordedEvent, StoreError } from "../../../src/store/index.ts";
import { createPageReads } from "../../../src/store/sqlite/reads/page-reads.ts";
import { openForReading } from "../../../src/store/sqlite/tables/schema.ts";
import { proves } from "../../support/proves.ts";
import { sampled } from "../../support/sampled.ts";
import { askEverything, everyEvent as eventsOf, examine, makeRichHome, start } from "../../support/store-damage.ts";
import { appendTo, everyEvent, makeTestHome, note, openSession, type TestHome } from "../../support/store-home.ts";
import { throwOnFatal } from "../../support/store-sqlite.ts";

const CUTS = sampled(2000, 15);

describe("files that are cut short or end in noise", () => {
  let home: TestHome;
  /** A log after a crash: the file, and the write-ahead log that was not folded into it yet. */
  let crashed: string;
  let all: readonly RecordedEvent[];
  let inFile: number;

  beforeAll(async () => {
    home = await makeTestHome();
    await makeRichHome(home.path);
    const store = await openSqliteStore({ home: home.path, onFatal: throwOnFatal, checkpointPages: 1_000_000 });
    inFile = await store.lastSeq();
    // An open read transaction keeps new writes in the write-ahead log.
    const standing = new DatabaseSync(logPath(home.path), { readOnly: true });
    standing.exec("BEGIN");
    standing.prepare("SELECT count(*) FROM events").get();
    const stream = await openSession(store, "brave-lynx-03", 1);
    for (let n = 0; n < 40; n += 1) await appendTo(store, stream, [note("x".repeat((n * 211) % 5000)), note(n)], 1);
    all = await everyEvent(store);
    crashed = join(home.path, "crashed.db");
    await copyFile(logPath(home.path), crashed);
    await copyFile(`${logPath(home.path)}-wal`, `${crashed}-wal`);
    standing.close();
    await store.close();
    return () => home[Symbol.asyncDispose]();
  });

  const cuts = (length: number): readonly number[] =>
    Array.from({ length: CUTS }, (_, n) => Math.floor((n * (length - 1)) / CUTS) + (n % 7));

  /** Damages a copy of the crashed log, and returns what a start makes of it. */
  const afterwards = async (spoil: (path: string) => Promise<void>) => {
    await using place = await makeTestHome();
    const path = logPath(place.path);
    await copyFile(crashed, path);
    await copyFile(`${crashed}-wal`, `${path}-wal`);
    await spoil(path);
    const refusal = start(place.path);
    if (refusal !== null) return { refusal, events: [], report: await examine(path), answers: null };
    const answers = askEverything(path, all);
    const events = answers.get("events all");
    return { refusal, events, report: await examine(path), answers };
  };

  proves("LOG-12", "a write-ahead log cut anywhere leaves a log that is complete up to some append", async () => {
    const { size } = await stat(`${crashed}-wal`);
    for (const cut of cuts(size)) {
      const found = await afterwards((path) => truncate(`${path}-wal`, cut));
      expect(found.refusal, `cut at ${cut}`).toBeNull();
      expect(found.report, `cut at ${cut}`).toBeNull();
      proveBeginning(found.events, `cut at ${cut}`);
    }
  });

  proves("LOG-12", "a write-ahead log that ends in noise is read up to the noise", async () => {
    const { size } = await stat(`${crashed}-wal`);
    for (const cut of cuts(size)) {
      const found = await afterwards((path) => scribble(`${path}-wal`, cut, 64));
      expect(found.refusal, `noise at ${cut}`).toBeNull();
      expect(found.report, `noise at ${cut}`).toBeNull();
      proveBeginning(found.events, `noise at ${cut}`);
    }
  });

  proves(
    "LOG-15",
    "a file that is cut or overwritten is refused or named, and never shows what was not written",
    async () => {
      const { size } = await stat(logPath(home.path));
      const whole = logPath(home.path);
      const truth = await readAt(whole);
      const answers = askEverything(whole, truth);
      for (const cut of cuts(size))
        for (const spoil of [(path: string) => truncate(path, cut), (path: string) => scribble(path, cut, 300)]) {
          await using place = await makeTestHome();
          const path = logPath(place.path);
          await copyFile(whole, path);
          await spoil(path);
          // A file of no bytes is a new log; nothing in it could say otherwise.
          if ((await stat(path)).size === 0) continue;
          const refusal = start(place.path);
          if (refusal !== null) {
            expect(["log_corrupt", "log_newer"], `at ${cut}: ${refusal.message}`).toContain(refusal.code);
            continue;
          }
          const found = askEverything(path, truth);
          const differing = [...found].filter(
            ([question, answer]) => JSON.stringify(answers.get(question)) !== JSON.stringify(answer),
          );
          if (differing.length > 0) expect(await examine(path), `at ${cut}`).not.toBeNull();
          for (const [question, answer] of differing)
            if (answer instanceof StoreError) expect(answer.code, `at ${cut}: ${question}`).toBe("log_corrupt");
            else expect(question, `at ${cut}`).not.toMatch(/^(events all|fold)/);
        }
    },
  );

  /** The store has the newest complete append: never a part of one, never another order. */
  function proveBeginning(events: unknown, what: string): void {
    if (!Array.isArray(events)) throw new Error(`${what}: ${String(events)}`);
    expect(events.length, what).toBeGreaterThanOrEqual(inFile);
    expect((events.length - inFile) % 2, what).toBe(events.length === inFile ? 0 : 1);
    expect(events, what).toEqual(all.slice(0, events.length));
  }
});

async function readAt(path: string): Promise<readonly RecordedEvent[]> {
  const db = openForReading(path);
  const found = eventsOf(createPageReads(db));
  db.close();
  return found;
}

async function scribble(path: string, at: number, length: number): Promise<void> {
  const bytes = await readFile(path);
  for (let n = at; n < Math.min(at + length, bytes.length); n += 1)
    bytes[n] = ((bytes[n] ?? 0) * 31 + n * 17 + 7) & 0xff;
  await writeFile(path, bytes);
}

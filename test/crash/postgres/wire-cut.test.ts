import { describe, expect } from "vitest";
import type { Store } from "../../../src/store/index.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { type CutProxy, startCutProxy, type Verdict } from "../../support/cut-proxy.ts";
import { testSchema } from "../../support/postgres.ts";
import { proves } from "../../support/proves.ts";
import { appendTo, event, everyEvent, newId, note, openSession } from "../../support/store-home.ts";
import { throwOnFatal } from "../../support/store-sqlite.ts";
import { expectKept, startLoad } from "./load.ts";

/** The messages of one append with an idempotency key: lock, lookup, write, commit. */
const MESSAGES = ["lock", "look-up", "write", "commit"] as const;
const FAST = { statementMs: 1000, answerSlackMs: 200, lockWaitMs: 3000, idleInTransactionMs: 600, reachMaxMs: 20_000 };

const WORDS = {
  cut: "before it gets there",
  "lose-answer": "after it got there",
  hang: "dead before it gets there",
  "hang-after": "dead after it got there",
};

describe("a connection that is cut", () => {
  // Where the connection hangs a test only waits, so several wait at once.
  describe.concurrent("at one message", () => {
    for (const verdict of ["cut", "lose-answer", "hang", "hang-after"] as const)
      for (const [at, message] of MESSAGES.entries())
        proves(
          "PG-1",
          `cut at the ${message}, ${WORDS[verdict]}: the append is in the log once, and acknowledged`,
          async () => {
            await using schema = await testSchema();
            await using proxy = await startCutProxy(schema.url);
            const store = await openPostgresStore({ url: proxy.url, onFatal: throwOnFatal, limits: FAST });
            const stream = await openSession(store);
            await append(store, stream, 1);
            const sent = once(proxy, at, verdict);
            const [written] = await append(store, stream, 2);
            expect(sent()).toBe(true);
            const all = await everyEvent(store);
            expect(all.filter(({ id }) => id === written?.id)).toEqual([written]);
            expect(all).toHaveLength(3);
            await append(store, stream, 3);
            expect(await store.verify()).toMatchObject({ ok: true, events: 4 });
            expect((await store.rebuild(null)).differences).toEqual([]);
            await store.close();
          },
        );
  });

  proves("PG-1", "cut again and again under load: nothing acknowledged is lost, nothing is done twice", async () => {
    await using schema = await testSchema();
    await using proxy = await startCutProxy(schema.url);
    const store = await openPostgresStore({ url: proxy.url, onFatal: throwOnFatal, limits: FAST });
    const load = startLoad(store, 24);
    let pieces = 0;
    proxy.onSent((piece) => {
      if (!piece.includes("COMMIT")) return "pass";
      pieces += 1;
      return pieces % 15 === 0 ? "lose-answer" : pieces % 11 === 0 ? "cut" : "pass";
    });
    while (load.acknowledged() < 1500) await new Promise((soon) => setTimeout(soon, 50));
    const told = await load.stop();
    proxy.onSent(() => "pass");
    expect(pieces).toBeGreaterThan(30);
    await expectKept(store, told);
    await store.close();
  });

  proves("PG-1", "a store closed while an outcome is unknown says so instead of guessing", async () => {
    await using schema = await testSchema();
    await using proxy = await startCutProxy(schema.url);
    const store = await openPostgresStore({ url: proxy.url, onFatal: throwOnFatal, limits: FAST });
    const stream = await openSession(store);
    await append(store, stream, 1);
    once(proxy, 3, "hang-after", () => proxy.goDead(true));
    const answer = append(store, stream, 2).catch((error: unknown) => error);
    await new Promise((soon) => setTimeout(soon, 500));
    await store.close();
    expect(await answer).toMatchObject({ code: "store_unreachable", details: { outcome: "unknown" } });
    proxy.goDead(false);
    const again = await openPostgresStore({ url: proxy.url, onFatal: throwOnFatal, limits: FAST });
    expect(await again.version(stream)).toBe(3);
    await again.close();
  });

  proves("PG-2", "tails in another process go on across cuts: no gap and no duplicate", async () => {
    await using schema = await testSchema();
    await using proxy = await startCutProxy(schema.url);
    const writer = await openPostgresStore({ url: schema.url, onFatal: throwOnFatal });
    const reader = await openPostgresStore({ url: proxy.url, onFatal: throwOnFatal, limits: FAST });
    const heard: number[] = [];
    reader.onAppend((events) => heard.push(...events.map(({ seq }) => seq)));
    const seen: number[] = [];
    const stop = new AbortController();
    const following = (async () => {
      for await (const events of reader.tail({ after: 0, signal: stop.signal }))
        seen.push(...events.map(({ seq }) => seq));
    })();
    const stream = await openSession(writer);
    for (let round = 0; round < 4; round += 1) {
      for (let n = 0; n < 10; n += 1) await appendTo(writer, stream, [note(n)]);
      if (round < 3) proxy.cutAll();
    }
    const expected = Array.from({ length: 41 }, (_, n) => n + 1);
    const untilMs = Date.now() + 30_000;
    while ((seen.length < 41 || heard.length < 41) && Date.now() < untilMs)
      await new Promise((soon) => setTimeout(soon, 50));
    stop.abort();
    await following;
    expect(seen).toEqual(expected);
    expect(heard).toEqual(expected);
    await Promise.all([writer.close(), reader.close()]);
  });
});

/** Cuts the connection at the n-th message of the next append. Returns whether it was ever sent. */
function once(proxy: CutProxy, at: number, verdict: Verdict, then: () => void = () => undefined): () => boolean {
  let writer: object | null = null;
  let count = 0;
  let isDone = false;
  proxy.onSent((piece, wire) => {
    if (isDone) return "pass";
    if (writer === null && piece.includes("FROM head FOR UPDATE")) writer = wire;
    if (wire !== writer) return "pass";
    isDone = count === at;
    count += 1;
    if (isDone) setTimeout(then);
    return isDone ? verdict : "pass";
  });
  return () => isDone;
}

async function append(store: Store, stream: string, version: number) {
  const hash = (): string => (newId() + newId()).replaceAll("-", "");
  const call = { keyHash: hash(), requestHash: hash() };
  return store.append([{ stream, expectedVersion: version, events: [event(note(version))] }], { fence: 0, call });
}

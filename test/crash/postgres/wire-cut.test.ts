import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import type { Json } from "../../../src/kernel/index.ts";
import type { Store } from "../../../src/store/index.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { type CutProxy, LATE_MS, startCutProxy, type Verdict } from "../../support/cut-proxy.ts";
import { testSchema } from "../../support/postgres.ts";
import { proves } from "../../support/proves.ts";
import { appendTo, event, everyEvent, newId, note, openSession } from "../../support/store-home.ts";
import { throwOnFatal } from "../../support/store-sqlite.ts";
import { expectKept, startLoad } from "./load.ts";

/** An append with an idempotency key, and its messages. What names a blob is checked under the lock of the head. */
const WAYS = [
  { payload: "plain", messages: ["look-up", "write"] },
  {
    payload: { blob: "0".repeat(64) },
    messages: ["lock", "look-up", "look-up of the blob", "look-up of its size", "write under the lock", "commit"],
  },
] as const;
const FAST = { statementMs: 1000, answerSlackMs: 200, lockWaitMs: 3000, idleInTransactionMs: 600, reachMaxMs: 20_000 };

const WORDS = {
  cut: "before it gets there",
  "lose-answer": "after it got there",
  hang: "dead before it gets there",
  "hang-after": "dead after it got there",
  late: "which gets there after the append was done again",
};

describe("a connection that is cut", () => {
  // Where the connection hangs a test only waits, so several wait at once.
  describe.concurrent("at one message", () => {
    for (const verdict of ["cut", "lose-answer", "hang", "hang-after", "late"] as const)
      for (const { payload, messages } of WAYS)
        for (const [at, message] of messages.entries())
          proves(
            "PG-1",
            `cut at the ${message}, ${WORDS[verdict]}: the append is in the log once, and acknowledged`,
            async () => {
              await using schema = await testSchema();
              await using proxy = await startCutProxy(schema.url);
              const writer = watchWriter(proxy);
              const store = await openPostgresStore({ url: proxy.url, onFatal: throwOnFatal, limits: FAST });
              const stream = await openSession(store);
              await append(store, stream, 1, payload);
              const sent = once(proxy, writer(), at, verdict);
              const [written] = await append(store, stream, 2, payload);
              expect(sent()).toBe(true);
              if (verdict === "late") await sleep(LATE_MS);
              const all = await everyEvent(store);
              expect(all.filter(({ id }) => id === written?.id)).toEqual([written]);
              expect(all).toHaveLength(3);
              await append(store, stream, 3, payload);
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
    const writers = new Set<object>();
    proxy.onSent((piece, wire) => {
      if (isWriting(piece)) writers.add(wire);
      if (!writers.has(wire)) return "pass";
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
    const writer = watchWriter(proxy);
    const store = await openPostgresStore({ url: proxy.url, onFatal: throwOnFatal, limits: FAST });
    const stream = await openSession(store);
    await append(store, stream, 1, "plain");
    once(proxy, writer(), 1, "hang-after", () => proxy.goDead(true));
    const answer = append(store, stream, 2, "plain").catch((error: unknown) => error);
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

/** The wire of the writer's connection, once it has written. */
function watchWriter(proxy: CutProxy): () => object | null {
  let writer: object | null = null;
  proxy.onSent((piece, wire) => {
    if (isWriting(piece)) writer = wire;
    return "pass";
  });
  return () => writer;
}

function isWriting(piece: Buffer): boolean {
  return piece.includes("FROM head FOR UPDATE") || piece.includes("UPDATE head");
}

/** Cuts the writer's connection at its n-th message from now on. Returns whether it was ever sent. */
function once(
  proxy: CutProxy,
  writer: object | null,
  at: number,
  verdict: Verdict,
  then: () => void = () => undefined,
): () => boolean {
  let count = 0;
  let isDone = false;
  proxy.onSent((_, wire) => {
    if (isDone || wire !== writer) return "pass";
    isDone = count === at;
    count += 1;
    if (isDone) setTimeout(then);
    return isDone ? verdict : "pass";
  });
  return () => isDone;
}

async function append(store: Store, stream: string, version: number, payload: Json) {
  const hash = (): string => (newId() + newId()).replaceAll("-", "");
  const call = { keyHash: hash(), requestHash: hash() };
  return store.append([{ stream, expectedVersion: version, events: [event(note(payload))] }], { fence: 0, call });
}

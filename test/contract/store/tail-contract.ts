import { describe, expect } from "vitest";
import type { RecordedEvent, Store } from "../../../src/store/index.ts";
import { proves } from "../../support/proves.ts";
import { appendTo, note, openSession } from "../../support/store-home.ts";
import type { OpenStore } from "./describe-store.ts";

export function describeTail(open: OpenStore): void {
  describe("tail", () => {
    proves(
      "LOG-6",
      "a tail gives history, then live events: no gap and no duplicate, from any cursor, for many readers at once",
      async () => {
        await using at = await open();
        const streams = await Promise.all(Array.from({ length: 4 }, () => openSession(at.store)));
        const rounds = 40;
        const end = streams.length * (1 + rounds);
        const writing = Promise.all(
          streams.map(async (stream) => {
            for (let n = 0; n < rounds; n += 1) await appendTo(at.store, stream, [note(n)]);
          }),
        );
        const readers = Array.from({ length: 30 }, (_, n) => follow(at.store, n, end));
        const ofOne = streams.map((stream) => follow(at.store, 0, rounds + 1, stream));
        await writing;
        for (const [after, seen] of (await Promise.all(readers)).entries())
          expect(seen.map(({ seq }) => seq)).toEqual(Array.from({ length: end - after }, (_, n) => after + n + 1));
        for (const [n, seen] of (await Promise.all(ofOne)).entries()) {
          expect(new Set(seen.map(({ stream }) => stream))).toEqual(new Set([streams[n]]));
          expect(seen.map(({ version }) => version)).toEqual(Array.from({ length: rounds + 1 }, (_, v) => v + 1));
        }
      },
    );

    proves("LOG-6", "a slow reader misses nothing, and an abandoned one delays no other", async () => {
      await using at = await open();
      const stream = await openSession(at.store);
      const stop = new AbortController();
      const slow = at.store.tail({ after: 0, signal: stop.signal })[Symbol.asyncIterator]();
      const first = await slow.next();
      for (let n = 0; n < 1200; n += 100)
        await appendTo(
          at.store,
          stream,
          Array.from({ length: 100 }, () => note("x")),
        );
      const seen = [...(first.value ?? [])];
      while (seen.length < 1201) seen.push(...((await slow.next()).value ?? []));
      expect(seen.map(({ seq }: RecordedEvent) => seq)).toEqual(Array.from({ length: 1201 }, (_, n) => n + 1));
      stop.abort();
      expect((await slow.next()).done).toBe(true);
    });

    proves("LOG-6", "a tail ends with its signal, while waiting and before it began, and with the store", async () => {
      await using at = await open();
      await openSession(at.store);
      const last = await at.store.lastSeq();
      const stop = new AbortController();
      const waiting = drain(at.store, last, stop.signal);
      setTimeout(() => stop.abort(), 20);
      expect(await waiting).toEqual([]);
      expect(await drain(at.store, 0, AbortSignal.abort())).toEqual([]);
      const outlived = drain(at.store, last, new AbortController().signal);
      await at.reopen();
      expect(await outlived).toEqual([]);
    });
  });
}

/** Reads until this many events have come or the position is reached. */
async function follow(store: Store, after: number, until: number, stream?: string): Promise<RecordedEvent[]> {
  const stop = new AbortController();
  const seen: RecordedEvent[] = [];
  for await (const events of store.tail({ after, signal: stop.signal, ...(stream === undefined ? {} : { stream }) })) {
    seen.push(...events);
    if ((stream === undefined ? (seen.at(-1)?.seq ?? 0) : seen.length) >= until) stop.abort();
  }
  return seen;
}

async function drain(store: Store, after: number, signal: AbortSignal): Promise<RecordedEvent[]> {
  const seen: RecordedEvent[] = [];
  for await (const events of store.tail({ after, signal })) seen.push(...events);
  return seen;
}

import { setImmediate } from "node:timers/promises";
import { describe, expect } from "vitest";
import { type CustomFact, fact } from "../../../src/kernel/index.ts";
import type { EventPage, EventQuery, RecordedEvent, Store } from "../../../src/store/index.ts";
import { proves } from "../../support/proves.ts";
import { admitted, appendTo, everyEvent, note, openSession } from "../../support/store-home.ts";
import type { OpenStore } from "./describe-store.ts";

export function describeReads(open: OpenStore): void {
  describe("reading", () => {
    proves(
      "LOG-5",
      "positions have no gap, ids and hashes are found, and a cursor is exclusive in both directions",
      async () => {
        await using at = await open();
        await twoStreams(at.store, 12);
        const all = await everyEvent(at.store, 5);
        expect(all.map(({ seq }) => seq)).toEqual(all.map((_, n) => n + 1));
        expect(await at.store.lastSeq()).toBe(all.length);
        for (const event of all) {
          expect(await at.store.event(event.id)).toEqual(event);
          expect(await at.store.seqAt(event.stream, event.version)).toBe(event.seq);
        }
        const between = await at.store.readAll({ after: 3, before: 8, limit: 100 });
        expect(between).toEqual({ events: all.slice(3, 7), next: null });
        const back = await at.store.readAll({ after: 3, before: 8, limit: 100, descending: true });
        expect(back).toEqual({ events: all.slice(3, 7).toReversed(), next: null });
      },
    );

    proves(
      "LOG-5",
      "a cursor for one stream is a position in the log, also the position of another stream's event",
      async () => {
        await using at = await open();
        const { one } = await twoStreams(at.store, 12);
        const own = (await everyEvent(at.store)).filter(({ stream }) => stream === one);
        for (let cursor = 0; cursor <= (await at.store.lastSeq()) + 1; cursor += 1) {
          const after = await at.store.readStream(one, { after: cursor, limit: 100 });
          expect(after.events).toEqual(own.filter(({ seq }) => seq > cursor));
          const before = await at.store.readStream(one, { before: cursor, limit: 100, descending: true });
          expect(before.events).toEqual(own.filter(({ seq }) => seq < cursor).toReversed());
        }
      },
    );

    proves("LOG-5", "pages of every size visit each event once, in both directions", async () => {
      await using at = await open();
      const { one } = await twoStreams(at.store, 11);
      const all = await everyEvent(at.store);
      const own = all.filter(({ stream }) => stream === one);
      for (const limit of [1, 2, 3, 7, 11, 22, 24, 100])
        for (const descending of [false, true]) {
          const order = <T>(list: readonly T[]): readonly T[] => (descending ? list.toReversed() : list);
          const read = (query: EventQuery) => at.store.readAll(query);
          const readOne = (query: EventQuery) => at.store.readStream(one, query);
          expect(await paged(read, { limit, descending })).toEqual(order(all));
          expect(await paged(readOne, { limit, descending })).toEqual(order(own));
        }
    });

    proves("LOG-5", "a page that reaches the end says so, also when it is exactly full", async () => {
      await using at = await open();
      const { one } = await twoStreams(at.store, 5);
      const length = await at.store.version(one);
      expect((await at.store.readStream(one, { limit: length })).next).toBeNull();
      expect((await at.store.readStream(one, { limit: length - 1 })).next).not.toBeNull();
      expect(await at.store.readAll({ after: await at.store.lastSeq(), limit: 5 })).toEqual({ events: [], next: null });
      expect(await at.store.readStream("session/nobody", { limit: 5 })).toEqual({ events: [], next: null });
      expect(await at.store.readAll({ limit: 0 })).toEqual({ events: [], next: null });
    });

    proves("LOG-5", "paging visits every event once while writers append", async () => {
      await using at = await open();
      const streams = await Promise.all(Array.from({ length: 6 }, () => openSession(at.store)));
      let isWriting = true;
      const writing = Promise.all(
        streams.map(async (stream) => {
          for (let n = 0; n < 60; n += 1) await appendTo(at.store, stream, [note(n), note(-n)]);
        }),
      ).finally(() => {
        isWriting = false;
      });
      const seen: number[] = [];
      let cursor = 0;
      while (isWriting || cursor < (await at.store.lastSeq())) {
        const page = await at.store.readAll({ after: cursor, limit: 7 });
        seen.push(...page.events.map(({ seq }) => seq));
        cursor = seen.at(-1) ?? 0;
        await setImmediate();
      }
      await writing;
      expect(seen).toEqual(Array.from({ length: await at.store.lastSeq() }, (_, n) => n + 1));
    });

    proves("LOG-5", "events are filtered by type with or without its version, built-in and custom", async () => {
      await using at = await open();
      const stream = await openSession(at.store);
      const custom: readonly CustomFact[] = [
        { type: "x.note@1", data: { turnId: null, payload: 1 } },
        { type: "x.note-more@1", data: { turnId: "t1", payload: 2 } },
        { type: "x.not@1", data: { turnId: null, payload: 3 } },
      ];
      await appendTo(at.store, stream, [admitted("t1", "hello"), fact("turn.started@1", { turnId: "t1" }), ...custom]);
      const types = async (...wanted: readonly string[]): Promise<readonly string[]> =>
        (await at.store.readStream(stream, { limit: 50, types: wanted })).events.map(({ type }) => type);
      expect(await types("turn.started")).toEqual(["turn.started@1"]);
      expect(await types("turn.started@1")).toEqual(["turn.started@1"]);
      expect(await types("turn.started@2", "turn", "turn.")).toEqual([]);
      expect(await types("x.note")).toEqual(["x.note@1"]);
      expect(await types("x.not", "x.note-more@1")).toEqual(["x.note-more@1", "x.not@1"]);
      expect(await types()).toEqual([]);
      expect(await at.store.readAll({ limit: 50, types: ["turn.admitted"] })).toMatchObject({
        events: [{}],
        next: null,
      });
    });

    proves("LOG-5", "events are filtered by turn id, and only events that name the turn belong to it", async () => {
      await using at = await open();
      const stream = await openSession(at.store);
      await appendTo(at.store, stream, [
        admitted("t1", "one"),
        admitted("t2", 'a prompt that quotes "turnId":"t1"'),
        note({ turnId: "t1" }, "t2"),
        note("mine", "t1"),
        note("nobody's"),
      ]);
      const of = async (turnId: string, types?: readonly string[]): Promise<readonly number[]> => {
        const filter = types === undefined ? {} : { types };
        return (await at.store.readStream(stream, { limit: 50, turnId, ...filter })).events.map(
          ({ version }) => version,
        );
      };
      expect(await of("t1")).toEqual([2, 5]);
      expect(await of("t2")).toEqual([3, 4]);
      expect(await of("t1", ["x.note"])).toEqual([5]);
      expect(await of("t3")).toEqual([]);
    });

    proves("LOG-5", "a filter with few matches is paged without a miss or a repeat", async () => {
      await using at = await open();
      const stream = await openSession(at.store);
      for (let n = 0; n < 13; n += 1)
        await appendTo(at.store, stream, [
          ...Array.from({ length: 500 }, () => note("hay")),
          { type: "x.needle@1", data: { turnId: `t${n % 2}`, payload: n } } satisfies CustomFact,
        ]);
      for (const descending of [false, true])
        for (const limit of [1, 4, 100]) {
          const read = (query: EventQuery) => at.store.readStream(stream, query);
          const needles = await paged(read, { limit, descending, types: ["x.needle"] });
          const expected = Array.from({ length: 13 }, (_, n) => 502 + n * 501);
          expect(needles.map(({ version }) => version)).toEqual(descending ? expected.toReversed() : expected);
          const ofTurn = await paged((query) => at.store.readAll(query), { limit, descending, turnId: "t0" });
          expect(ofTurn).toHaveLength(7);
        }
    });

    proves("LOG-20", "large events make shorter pages, so that a page stays bounded in bytes", async () => {
      await using at = await open();
      const stream = await openSession(at.store);
      for (let n = 0; n < 12; n += 1) await appendTo(at.store, stream, [note("x".repeat(1_000_000))]);
      const first = await at.store.readStream(stream, { limit: 100 });
      expect(first.events.length).toBeLessThan(13);
      expect(first.next).not.toBeNull();
      expect(await paged((query) => at.store.readStream(stream, query), { limit: 100 })).toHaveLength(13);
    });
  });
}

async function twoStreams(store: Store, length: number): Promise<{ readonly one: string; readonly two: string }> {
  const [one, two] = [await openSession(store), await openSession(store)];
  for (let n = 1; n < length; n += 1) {
    await appendTo(store, one, [note(n)]);
    await appendTo(store, two, [note(n)]);
  }
  return { one, two };
}

async function paged(read: (query: EventQuery) => Promise<EventPage>, query: EventQuery): Promise<RecordedEvent[]> {
  const found: RecordedEvent[] = [];
  let page = await read(query);
  found.push(...page.events);
  while (page.next !== null) {
    page = await read({ ...query, ...(query.descending === true ? { before: page.next } : { after: page.next }) });
    found.push(...page.events);
  }
  return found;
}

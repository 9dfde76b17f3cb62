import { getEventListeners } from "node:events";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import type { RecordedEvent } from "../port.ts";
import { tail } from "./tail.ts";

const eventAt = (seq: number, stream = "a"): RecordedEvent => ({
  ...{ seq, stream, version: seq, type: "x.note@1", id: `${seq}`, at: "", actor: "", cause: null },
  ...{ data: null, hash: "", prev: "" },
});

/** A log in memory. What is appended while a page is read may be in that page or come too late for it. */
function openLog(size: number, stream?: string) {
  const events: RecordedEvent[] = Array.from({ length: size }, (_, n) => eventAt(n + 1));
  const listeners = new Set<(events: readonly RecordedEvent[]) => void>();
  const pages: number[] = [];
  const reading = { before: (): void => undefined, after: (): void => undefined };
  const append = (...seqs: readonly RecordedEvent[]): void => {
    events.push(...seqs);
    for (const listener of listeners) listener(seqs);
  };
  const stop = new AbortController();
  const follow = (after: number) =>
    tail(
      {
        page: async (from, limit) => {
          pages.push(from);
          reading.before();
          reading.before = () => undefined;
          const wanted = events.filter(({ seq, stream: of }) => seq > from && (stream ?? of) === of);
          const page = wanted.slice(0, limit);
          reading.after();
          reading.after = () => undefined;
          return { events: page, next: wanted.length > limit ? (page.at(-1)?.seq ?? null) : null };
        },
        onAppend: (listener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
        stream,
      },
      after,
      stop.signal,
    );
  return { append, follow, reading, pages, listeners, stop };
}

/** The next events, until there are so many. */
async function take(from: AsyncGenerator<readonly RecordedEvent[]>, count: number): Promise<readonly number[]> {
  const seen: number[] = [];
  while (seen.length < count) {
    const { value, done } = await from.next();
    if (done === true) break;
    expect(value.length).toBeGreaterThan(0);
    seen.push(...value.map(({ seq }) => seq));
  }
  return seen;
}

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, n) => first + n);

proves("LOG-6", "history comes in pages from the cursor, then live events come from memory", async () => {
  const log = openLog(250);
  const reader = log.follow(10);
  expect(await take(reader, 240)).toEqual(range(11, 250));
  expect(log.pages).toEqual([10, 110, 210]);
  const next = take(reader, 3);
  await new Promise((soon) => setImmediate(soon));
  log.append(eventAt(251));
  log.append(eventAt(252), eventAt(253));
  expect(await next).toEqual([251, 252, 253]);
  expect(log.pages).toHaveLength(3);
});

proves("LOG-6", "an event appended while a page is read is given once, whether the page has it or not", async () => {
  for (const when of ["before", "after"] as const) {
    const log = openLog(2);
    log.reading[when] = () => log.append(eventAt(3));
    const reader = log.follow(0);
    expect(await take(reader, 3)).toEqual([1, 2, 3]);
    const next = take(reader, 1);
    await new Promise((soon) => setImmediate(soon));
    log.append(eventAt(4));
    expect(await next).toEqual([4]);
  }
});

proves("LOG-6", "a reader that is more than 256 events behind reads the log again, and misses nothing", async () => {
  for (const burst of [256, 257]) {
    const log = openLog(1);
    const reader = log.follow(0);
    expect(await take(reader, 1)).toEqual([1]);
    const live = reader.next();
    await new Promise((soon) => setImmediate(soon));
    log.append(eventAt(2));
    expect((await live).value).toMatchObject([{ seq: 2 }]);
    const waiting = reader.next();
    await new Promise((soon) => setImmediate(soon));
    const before = log.pages.length;
    for (const seq of range(3, burst + 2)) log.append(eventAt(seq));
    const seen = [...((await waiting).value ?? [])].map(({ seq }) => seq);
    expect([...seen, ...(await take(reader, burst - seen.length))]).toEqual(range(3, burst + 2));
    expect(log.pages.length > before).toBe(burst > 256);
  }
});

proves("LOG-6", "a reader of one stream is not woken by others, and a stopped one listens no more", async () => {
  const log = openLog(1, "a");
  const reader = log.follow(0);
  expect(await take(reader, 1)).toEqual([1]);
  const next = reader.next();
  await new Promise((soon) => setImmediate(soon));
  log.append(eventAt(2, "b"));
  log.append(eventAt(3, "b"), eventAt(4, "a"));
  expect((await next).value).toMatchObject([{ seq: 4 }]);
  const last = reader.next();
  await new Promise((soon) => setImmediate(soon));
  log.stop.abort();
  expect((await last).done).toBe(true);
  expect(log.listeners.size).toBe(0);
  expect((await log.follow(0).next()).done).toBe(true);
});

proves("LOG-6", "a reader at the end of the log gets nothing before there is something", async () => {
  const log = openLog(3);
  const next = log.follow(3).next();
  await new Promise((soon) => setImmediate(soon));
  log.append(eventAt(4));
  expect((await next).value).toMatchObject([{ seq: 4 }]);
});

proves("LOG-6", "a long history lets other work run between its pages, and leaves nothing behind", async () => {
  const log = openLog(1000);
  let turns = 0;
  const count = (): void => {
    turns += 1;
    if (turns < 100) setImmediate(count);
  };
  setImmediate(count);
  const reader = log.follow(0);
  await take(reader, 1000);
  expect(turns).toBeGreaterThanOrEqual(8);
  turns = 100;
  await reader.return(undefined);
  expect([log.listeners.size, getEventListeners(log.stop.signal, "abort").length]).toEqual([0, 0]);
});

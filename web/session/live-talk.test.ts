import { expect, test } from "vitest";
import type { InputOf, LogEvent, StreamItem } from "../../src/client/index.ts";
import type { SessionFollower } from "../live/index.ts";
import { findVersion } from "./find-version.ts";
import { createLiveTalk, NO_TALK, type TalkState } from "./live-talk.ts";
import { trimmed, withNewer } from "./window.ts";

function eventAt(version: number, stream = "session/one"): LogEvent {
  const rest = { actor: "", cause: null, hash: "", prev: "", at: new Date(version).toISOString() };
  // Two other sessions write as often: a `seq` says little about a version.
  return { ...rest, seq: version * 3, id: `e${version}`, stream, version, type: "x.step@1", data: {} };
}

/** A log of one session that grows, and the stream that follows it. */
function world(size: number) {
  const log = Array.from({ length: size }, (_none, at) => eventAt(at + 1));
  let follower: SessionFollower | null = null;
  let reads = 0;
  const read = async ({ after, order, limit = 100, types }: InputOf<"session.events">) => {
    reads += 1;
    if (types !== undefined) return { events: [], next: null };
    const cursor = after === undefined ? null : Number(after);
    const sorted = order === "desc" ? log.toReversed() : log;
    const isAfter = ({ seq }: LogEvent) => cursor === null || (order === "desc" ? seq < cursor : seq > cursor);
    const found = sorted.filter(isAfter);
    const events = found.slice(0, limit);
    return { events, next: found.length > limit ? (events.at(-1)?.seq ?? null) : null };
  };
  let state: TalkState = NO_TALK;
  const talk = createLiveTalk({
    id: "one",
    read,
    follow: (_id, given) => {
      follower = given;
      return () => undefined;
    },
    nowMs: () => 0,
    changed: (now) => {
      state = now;
    },
  });
  const settled = async (): Promise<void> => {
    for (let round = 0; round < 50; round += 1) await Promise.resolve();
  };
  const write = (count: number): readonly LogEvent[] => {
    const fresh = Array.from({ length: count }, (_none, at) => eventAt(log.length + 1 + at));
    log.push(...fresh);
    return fresh;
  };
  const hear = (events: readonly LogEvent[]): void =>
    follower?.onItems(events.map((data): StreamItem => ({ event: "event", id: String(data.seq), data })));
  const versions = (): readonly number[] => state.window.events.map(({ version }) => version);
  return {
    talk,
    settled,
    write,
    hear,
    versions,
    state: () => state,
    live: () => follower?.onLive(),
    reads: () => reads,
  };
}

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_none, at) => from + at);

test("a long session opens with its newest page, and with as few reads as a short one", async () => {
  const { settled, versions, state, reads } = world(1_000_000 / 100);
  await settled();
  expect(versions()).toEqual(range(9_801, 10_000));
  expect(state().window).toMatchObject({ hasOlder: true, hasNewer: false });
  expect(reads()).toBeLessThanOrEqual(3);
});

test("live events follow, each once, also those that a read brought before", async () => {
  const { settled, write, hear, versions } = world(3);
  await settled();
  const fresh = write(4);
  hear(fresh.slice(0, 2));
  hear(fresh.slice(1));
  await settled();
  expect(versions()).toEqual(range(1, 7));
});

test("events that were missed while the connection was cut are read when it stands again", async () => {
  const { settled, write, hear, versions, live } = world(3);
  await settled();
  write(300);
  live();
  hear(write(2));
  await settled();
  expect(versions()).toEqual(range(1, 305));
});

test("a live event after a hole is not shown before the hole is read", async () => {
  const { settled, write, hear, versions } = world(3);
  await settled();
  write(5);
  hear(write(1));
  expect(versions()).toEqual(range(1, 3));
  await settled();
  expect(versions()).toEqual(range(1, 9));
});

test("scrolling up reads to the beginning and drops the far end; the way back reads it again", async () => {
  const { talk, settled, versions, state } = world(5_000);
  await settled();
  talk.look(false);
  for (let round = 0; round < 30 && state().window.hasOlder; round += 1) {
    talk.older();
    await settled();
  }
  expect(versions()[0]).toBe(1);
  expect(versions().length).toBeLessThanOrEqual(2_000);
  expect(state().window.hasNewer).toBe(true);
  for (let round = 0; round < 30 && state().window.hasNewer; round += 1) {
    talk.newer();
    await settled();
  }
  expect(versions().at(-1)).toBe(5_000);
  expect(versions()).toEqual(range(versions()[0] ?? 0, 5_000));
});

test("a jump lands on its event with few reads, wherever it is", async () => {
  const { talk, settled, versions, reads, state } = world(50_000);
  await settled();
  for (const version of [1, 777, 25_000, 49_000]) {
    const before = reads();
    talk.jump(version, [{ version: 1, seq: 3 }]);
    await settled();
    expect(versions()).toContain(version);
    expect(reads() - before).toBeLessThanOrEqual(8);
  }
  talk.toEnd();
  await settled();
  expect(versions().at(-1)).toBe(50_000);
  expect(state().window.hasNewer).toBe(false);
});

test("a place between other sessions' events is found although the numbers are uneven", async () => {
  // The first half was written alone, the second among a million events of others.
  const log = range(1, 4_000).map((version) => ({
    ...eventAt(version),
    seq: version < 2_000 ? version : version * 500,
  }));
  const reads = {
    before: async (before: number) => log.filter(({ seq }) => seq < before).slice(-200),
    after: async (after: number) => log.filter(({ seq }) => seq > after).slice(0, 200),
  };
  const ends = [log[0], log.at(-1)].flatMap((event) => event ?? []);
  for (const version of [1, 1_999, 2_000, 2_100, 3_999]) {
    const page = await findVersion(version, ends, reads);
    expect(page.map((event) => event.version)).toContain(version);
  }
});

test("what is held stays bounded", () => {
  const events = range(1, 2_500).map((version) => eventAt(version));
  const window = withNewer({ events: [], hasOlder: false, hasNewer: false }, events, false);
  expect(trimmed(window, "oldest")).toMatchObject({ hasOlder: true, hasNewer: false });
  expect(trimmed(window, "newest")).toMatchObject({ hasOlder: false, hasNewer: true });
  expect(trimmed(window, "oldest").events.length).toBe(1_500);
});

import { expect } from "vitest";
import { proves } from "../../test/support/proves.ts";
import { newId, note } from "../../test/support/store-home.ts";
import type { Folded } from "../domains/index.ts";
import { type AnyFact, type Decision, sessionStream } from "../kernel/index.ts";
import { type AppendPart, type Quota, type RecordedEvent, StoreError, type StreamVersion } from "../store/index.ts";
import type { CommitOptions, Committed } from "./change.ts";
import { commitStreams, type StreamChange } from "./commit-streams.ts";
import type { Recording } from "./recording.ts";
import { createSharedAppend, type WaitingChange } from "./shared-append.ts";

const BY = { actor: "test" };
const QUOTA: Quota = { streamBytes: 1, homeBytes: 2, overdraw: false };
const [ONE, TWO, THREE] = [sessionStream("1"), sessionStream("2"), sessionStream("3")];

interface Appended {
  readonly parts: readonly AppendPart[];
  readonly quota: Quota | null;
  readonly expect: readonly StreamVersion[];
}

/** Streams that have only versions. Each append takes the next of the given failures, if there is one. */
function memory(versions: Readonly<Record<string, number>>, failures: unknown[] = []) {
  const at = new Map(Object.entries(versions));
  const appends: Appended[] = [];
  const judged: (readonly AnyFact[])[] = [];
  const folded = (stream: string): Folded => ({ kind: "session", state: { version: at.get(stream) ?? 0 } });
  const write = (appended: Appended): readonly RecordedEvent[] => {
    appends.push(appended);
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return appended.parts.flatMap(({ stream, events }) =>
      events.map(({ id, fact, actor, cause, at: when }): RecordedEvent => {
        const version = (at.get(stream) ?? 0) + 1;
        at.set(stream, version);
        return {
          ...{ seq: 0, id, stream, version, type: fact.type, at: when },
          actor,
          cause,
          data: null,
          hash: "",
          prev: "",
        };
      }),
    );
  };
  const recording: Recording = {
    fold: async (stream) => folded(stream),
    evolve: (_stream, { kind }, { version }) => ({ kind, state: { version } }),
    judge: (facts) => {
      judged.push(facts);
      return QUOTA;
    },
    placed: (_stream, facts, { actor }) => facts.map((fact) => ({ id: newId(), at: "", actor, cause: null, fact })),
    append: async (parts, _by, quota, still) => write({ parts, quota, expect: still }),
    appendOne: async (stream, before, events, quota) =>
      events.length === 0
        ? []
        : write({ parts: [{ stream, expectedVersion: before.state.version, events }], quota, expect: [] }),
  };
  const commit = (changes: readonly StreamChange[], options: Partial<CommitOptions> = {}) =>
    commitStreams(recording, changes, { by: BY, ...options });
  return { at, appends, judged, recording, commit };
}

const change = (stream: string, decide: (version: number) => Decision = () => [note(1)]): StreamChange => ({
  stream,
  decide: ({ state }) => decide(state.version),
});
const guard = (stream: string, isFine: (version: number) => boolean = () => true) => ({
  stream,
  check: ({ state }: Folded) => (isFine(state.version) ? null : { refused: "session_busy" as const, details: {} }),
});
const stale = (stream: string) => new StoreError("stale_version", { stream });

proves(
  "E1",
  "one append has every stream with new events, and the versions of all others that were looked at",
  async () => {
    const log = memory({ [ONE]: 4, [TWO]: 2, [THREE]: 7 });
    const { events, before } = await log.commit([change(ONE), change(TWO, () => [])], {
      expect: [guard(THREE), guard(ONE), guard(TWO)],
    });
    expect(events.map(({ stream, version }) => [stream, version])).toEqual([[ONE, 5]]);
    expect(before.map(({ state }) => state.version)).toEqual([4, 2]);
    expect(log.appends).toMatchObject([{ parts: [{ stream: ONE, expectedVersion: 4 }], quota: QUOTA }]);
    expect(log.appends[0]?.expect).toEqual([
      { stream: TWO, version: 2 },
      { stream: THREE, version: 7 },
    ]);
    expect(log.judged).toEqual([[note(1)]]);
  },
);

proves("E1", "a commit without facts appends nothing, and a guard's refusal comes before any decision", async () => {
  const log = memory({ [ONE]: 4 });
  expect((await log.commit([change(ONE, () => [])])).events).toEqual([]);
  const decided: number[] = [];
  const decide = (version: number): Decision => {
    decided.push(version);
    return [note(1)];
  };
  const refused = log.commit([change(ONE, decide)], { expect: [guard(TWO, () => false)] });
  await expect(refused).rejects.toMatchObject({ code: "session_busy" });
  expect([log.appends, log.judged, decided]).toEqual([[], [], []]);
});

proves("E1", "a guarded stream that moved is judged again; after eight tries the commit gives up", async () => {
  const log = memory({ [ONE]: 4 }, [stale(TWO), stale(TWO)]);
  const seen: number[] = [];
  const watching = guard(TWO, (version) => {
    seen.push(version);
    log.at.set(TWO, version + 1);
    return true;
  });
  expect((await log.commit([change(ONE)], { expect: [watching] })).events).toHaveLength(1);
  expect(seen).toEqual([0, 1, 2]);
  const restless = memory(
    {},
    Array.from({ length: 9 }, () => stale(TWO)),
  );
  await expect(restless.commit([change(ONE)], { expect: [guard(TWO)] })).rejects.toMatchObject({
    code: "overloaded",
    details: { stream: TWO, tries: 8 },
  });
  expect(restless.appends).toHaveLength(8);
});

proves("E2", "a changed stream that moved, or any other failure, is not tried again", async () => {
  for (const failure of [
    stale(ONE),
    stale(THREE),
    new StoreError("quota_exceeded", { stream: TWO }),
    new Error("bug"),
  ]) {
    const log = memory({}, [failure]);
    await expect(log.commit([change(ONE)], { expect: [guard(TWO), guard(ONE)] })).rejects.toBe(failure);
    expect(log.appends).toHaveLength(1);
  }
});

proves("E1", "a decision sees the other streams of its commit, and no other", async () => {
  const log = memory({ [ONE]: 4, [TWO]: 2 });
  const read = (folded: Folded) => folded.state.version;
  const looking = (stream: string): StreamChange => ({
    stream: ONE,
    decide: (_own, seen) => [note(seen({ stream, read }))],
  });
  await log.commit([looking(TWO)], { expect: [guard(TWO)] });
  expect(log.judged).toEqual([[note(2)]]);
  await expect(log.commit([looking(THREE)])).rejects.toThrow(/not a part of this commit/);
});

/** Runs changes of one stream together and says how each ended: the versions it wrote, or the error's code. */
async function together(log: ReturnType<typeof memory>, decides: readonly ((version: number) => Decision)[]) {
  const ends = decides.map(() => Promise.withResolvers<Committed<readonly Folded[]>>());
  const waiting = ends.map(({ resolve, reject }, n): WaitingChange => {
    return { change: change(ONE, decides[n]), by: { actor: `${n}` }, resolve, reject };
  });
  const settled = Promise.allSettled(ends.map(({ promise }) => promise));
  await createSharedAppend(log.recording)(ONE, waiting);
  return (await settled).map((end) =>
    end.status === "fulfilled"
      ? end.value.events.map(({ version }) => version)
      : (end.reason.code ?? String(end.reason)),
  );
}

proves("E6", "a shared append that is refused for its content is made again, each change alone", async () => {
  const codes = [
    "stale_version",
    "quota_exceeded",
    "payload_too_large",
    "blob_missing",
    "event_not_found",
    "disk_full",
  ];
  for (const failure of [...codes.map((code) => new StoreError(code as "disk_full")), new TypeError("no type")]) {
    const log = memory({ [ONE]: 3 }, [failure]);
    expect(await together(log, [() => [note(1)], () => [note(2), note(3)]])).toEqual([[4], [5, 6]]);
    expect(log.appends.map(({ parts }) => parts[0]?.events.length)).toEqual([3, 1, 2]);
  }
});

proves("E6", "after a failure of which nobody knows what it wrote, nothing is made again", async () => {
  for (const failure of [new StoreError("store_failed"), new StoreError("stale_fence"), new Error("bug")]) {
    const log = memory({ [ONE]: 3 }, [failure]);
    const said = failure instanceof StoreError ? failure.code : "Error: bug";
    expect(await together(log, [() => [], () => [note(1)], () => []])).toEqual([[], said, said]);
    expect(log.appends).toHaveLength(1);
  }
});

proves("E6", "when the stream cannot be read together, each change says so by itself", async () => {
  const log = memory({ [ONE]: 3 });
  let reads = 0;
  const fold = async (stream: string): Promise<Folded> => {
    reads += 1;
    if (reads < 3) throw new StoreError("log_corrupt");
    return log.recording.fold(stream);
  };
  const broken = { ...log, recording: { ...log.recording, fold } };
  expect(await together(broken, [() => [note(1)], () => [note(2)]])).toEqual(["log_corrupt", [4]]);
});

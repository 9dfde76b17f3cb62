import { expect } from "vitest";
import { BY, type CommitHome, makeCommitHome } from "../../test/support/commit-home.ts";
import { proves } from "../../test/support/proves.ts";
import { addCustom, type Json, LIMITS, labelSession, type SessionState, sessionStream } from "../kernel/index.ts";
import { type Quota, type RecordedEvent, StoreError } from "../store/index.ts";
import type { Bounds } from "./bounds.ts";
import { knownSession } from "./change.ts";

const note = (at: CommitHome, id: string, payload: Json, actor = "test") =>
  at.committer.session(id, (state) => addCustom(state, null, [{ type: "x.note@1", payload }]), { actor });

const notesOf = async (at: CommitHome, id: string): Promise<readonly RecordedEvent[]> =>
  (await at.store.readStream(sessionStream(id), { limit: 1000, types: ["x.note"] })).events;

const payloads = (events: readonly RecordedEvent[]) => events.map(({ data }) => Object(data).payload);

/** Wait one turn of the event loop, so that all calls are queued. */
const inOrder = () => new Promise((soon) => setImmediate(soon));

proves("E6", "changes that wait during a flush share one append, in order, each under its own actor", async () => {
  await using at = await makeCommitHome();
  const id = await at.openSession();
  const release = at.hold();
  const first = note(at, id, "first");
  await inOrder();
  const before = at.appends();
  const later = Array.from({ length: 40 }, (_, n) => note(at, id, n, `actor-${n}`));
  await inOrder();
  expect(at.appends()).toBe(before);
  release();
  const done = await Promise.all([first, ...later]);
  expect(at.appends()).toBe(before + 1);
  expect(payloads(await notesOf(at, id))).toEqual(["first", ...Array.from({ length: 40 }, (_, n) => n)]);
  // Each caller gets its own events, and the state that its decision was made on.
  expect(done.map(({ events }) => payloads(events))).toEqual([["first"], ...later.map((_, n) => [n])]);
  expect(done.map(({ before: state }) => state.version)).toEqual(done.map((_, n) => n + 1));
  expect((await notesOf(at, id)).map(({ actor }) => actor)).toEqual(["test", ...later.map((_, n) => `actor-${n}`)]);
});

proves("E6", "no caller is answered before the shared append is flushed", async () => {
  await using at = await makeCommitHome();
  const id = await at.openSession();
  const release = at.hold();
  const answered: number[] = [];
  const changes = [0, 1, 2].map((n) => note(at, id, n).then(() => answered.push(n)));
  const refused = at.committer.session(id, () => ({ refused: "session_busy", details: {} }), BY);
  const nothing = at.committer.session(id, () => [], BY).then(() => answered.push(3));
  await inOrder();
  expect(answered).toEqual([]);
  release();
  await expect(refused).rejects.toMatchObject({ code: "session_busy" });
  await Promise.all([...changes, nothing]);
  expect(answered).toEqual([0, 1, 2, 3]);
});

proves("E6", "a refusal, a bug or a change without facts in a shared append affects only its own caller", async () => {
  await using at = await makeCommitHome();
  const id = await at.openSession();
  const before = at.appends();
  const ends = await Promise.allSettled([
    note(at, id, 1),
    at.committer.session(id, () => ({ refused: "session_busy", details: {} }), BY),
    note(at, id, 2),
    at.committer.session(
      id,
      () => {
        throw new Error("a bug");
      },
      BY,
    ),
    at.committer.session(id, (state) => labelSession(state, "same"), BY),
    at.committer.session(id, (state) => (state.label === "same" ? [] : labelSession(state, "same")), BY),
    note(at, id, 3),
  ]);
  expect(ends.map(({ status }) => status === "fulfilled")).toEqual([true, false, true, false, true, true, true]);
  expect(ends[1]).toMatchObject({ reason: { code: "session_busy" } });
  expect(ends[3]).toMatchObject({ reason: { message: "a bug" } });
  expect(ends[5]).toMatchObject({ value: { events: [] } });
  expect(payloads(await notesOf(at, id))).toEqual([1, 2, 3]);
  expect(at.appends()).toBe(before + 1);
});

proves("E6", "a refused shared append: each change ends as it would have alone", async () => {
  await using at = await makeCommitHome();
  const id = await at.openSession();
  const large = "x".repeat(LIMITS.eventDataBytes);
  const ends = await Promise.allSettled([
    note(at, id, 1),
    note(at, id, large),
    // Its decision assumed a change that was then refused.
    at.committer.session(
      id,
      (state) =>
        state.version > 2
          ? { refused: "session_busy", details: {} }
          : addCustom(state, null, [{ type: "x.note@1", payload: 2 }]),
      BY,
    ),
    note(at, id, 3),
  ]);
  expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
  expect(ends[1]).toMatchObject({ reason: { code: "payload_too_large" } });
  expect(payloads(await notesOf(at, id))).toEqual([1, 2, 3]);
});

const someRoom = (overdraw: boolean, streamBytes: number): Bounds => ({
  judge: (_growth, facts) =>
    facts.some(({ type }) => type === "x.note@1")
      ? { streamBytes, homeBytes: Number.MAX_SAFE_INTEGER, overdraw }
      : null,
  mayKeep: async () => () => undefined,
  isTight: () => false,
});

for (const overdraw of [false, true])
  proves("E6", `a quota admits as many changes together as one by one (overdraw: ${overdraw})`, async () => {
    const admitted = async (isTogether: boolean): Promise<readonly string[]> => {
      await using at = await makeCommitHome({ bounds: someRoom(overdraw, 6000) });
      const id = await at.openSession();
      const ends: PromiseSettledResult<unknown>[] = [];
      const makers = Array.from({ length: 12 }, (_, n) => () => note(at, id, `${n} ${"said ".repeat(100)}`));
      if (isTogether) ends.push(...(await Promise.allSettled(makers.map((make) => make()))));
      else for (const make of makers) ends.push(...(await Promise.allSettled([make()])));
      return ends.map((end) => (end.status === "fulfilled" ? "in" : String(end.reason.code)));
    };
    const together = await admitted(true);
    expect(together).toEqual(await admitted(false));
    expect(together).toContain("in");
    expect(together).toContain("quota_exceeded");
  });

proves("E6", "changes under different quotas, or too many for one append, use several appends in order", async () => {
  await using at = await makeCommitHome({ bounds: someRoom(false, Number.MAX_SAFE_INTEGER) });
  const id = await at.openSession();
  const label = (text: string) => at.committer.session(id, (state) => labelSession(state, text), BY);
  let before = at.appends();
  const mixed = await Promise.all([note(at, id, 1), note(at, id, 2), label("a"), label("b"), note(at, id, 3)]);
  expect(at.appends()).toBe(before + 3);
  expect(mixed.flatMap(({ events }) => events.map(({ version }) => version))).toEqual([2, 3, 4, 5, 6]);
  before = at.appends();
  await Promise.all(Array.from({ length: 130 }, (_, n) => note(at, id, n)));
  expect(at.appends()).toBe(before + 3);
});

proves("E6", "a call with an idempotency key and a guarded change never share an append", async () => {
  await using at = await makeCommitHome();
  const id = await at.openSession();
  const before = at.appends();
  const call = { keyHash: "a".repeat(64), requestHash: "b".repeat(64) };
  const noted = (payload: Json) => (state: SessionState) => addCustom(state, null, [{ type: "x.note@1", payload }]);
  await Promise.all([
    note(at, id, 1),
    note(at, id, 2),
    at.committer.session(id, noted("keyed"), { ...BY, call }),
    note(at, id, 3),
    note(at, id, 4),
    at.committer.commit([{ of: knownSession(id), decide: noted("guarded") }], { by: BY, expect: [] }),
    note(at, id, 5),
  ]);
  expect(at.appends()).toBe(before + 5);
  expect(payloads((await at.store.findCall(call)) ?? [])).toEqual(["keyed"]);
  expect(payloads(await notesOf(at, id))).toEqual([1, 2, "keyed", 3, 4, "guarded", 5]);
});

proves(
  "E6",
  "an append whose result is unknown: only changes decided before the first fact have an answer",
  async () => {
    await using at = await makeCommitHome();
    const id = await at.openSession();
    const refused = () => at.committer.session(id, () => ({ refused: "session_busy", details: {} }), BY);
    const nothing = () => at.committer.session(id, () => [], BY);
    const release = at.hold(new StoreError("store_failed"));
    const ends = Promise.allSettled([refused(), nothing(), note(at, id, 1), nothing(), refused(), note(at, id, 2)]);
    await inOrder();
    release();
    const said = (await ends).map((end) => (end.status === "fulfilled" ? end.value.events.length : end.reason.code));
    expect(said).toEqual(["session_busy", 0, "store_failed", "store_failed", "store_failed", "store_failed"]);
    expect(await notesOf(at, id)).toEqual([]);
    await note(at, id, "after");
    expect(payloads(await notesOf(at, id))).toEqual(["after"]);
  },
);

proves("E6", "changes share an append only under the same quota, and with at most 256 facts", async () => {
  const quotas = new Map<string, Quota | null>();
  const bounds: Bounds = {
    judge: (_need, facts) => quotas.get(String(Object(facts[0]?.data).payload)) ?? null,
    mayKeep: async () => () => undefined,
    isTight: () => false,
  };
  await using at = await makeCommitHome({ bounds });
  const id = await at.openSession();
  const base: Quota = { streamBytes: 1e9, homeBytes: 1e9, besideBytes: 1, overdraw: false };
  quotas.set("base", base).set("equal", { ...base });
  const others = { streamBytes: 2e9, homeBytes: 2e9, besideBytes: 2, overdraw: true };
  for (const [name, value] of Object.entries(others)) quotas.set(name, { ...base, [name]: value });
  const appendsFor = async (...names: readonly string[]): Promise<number> => {
    const before = at.appends();
    await Promise.all(names.map((name) => note(at, id, name)));
    return at.appends() - before;
  };
  expect(await appendsFor("base", "equal")).toBe(1);
  for (const name of [...Object.keys(others), "none"])
    expect([name, await appendsFor("base", name)]).toEqual([name, 2]);
  expect(await appendsFor("none", "base")).toBe(2);

  const many = (count: number) =>
    at.committer.session(
      id,
      (state) =>
        addCustom(
          state,
          null,
          Array.from({ length: count }, () => ({ type: "x.note@1", payload: "none" })),
        ),
      BY,
    );
  for (const [first, second, appends] of [
    [128, 128, 1],
    [128, 129, 2],
  ] as const) {
    const before = at.appends();
    await Promise.all([many(first), many(second)]);
    expect(at.appends() - before).toBe(appends);
  }
});

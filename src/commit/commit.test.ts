import { expect } from "vitest";
import { BY, type CommitHome, makeCommitHome } from "../../test/support/commit-home.ts";
import { proves } from "../../test/support/proves.ts";
import { newId, SPEC } from "../../test/support/store-home.ts";
import type { Folded } from "../domains/index.ts";
import { addCustom, labelSession, openSession, Session, type SessionState, sessionStream } from "../kernel/index.ts";
import { guardOf, knownSession, type Seen, subjectOf } from "./change.ts";

const noted = (payload: string) => (state: SessionState) => addCustom(state, null, [{ type: "x.note@1", payload }]);
const labelled = (text: string) => (state: SessionState) => labelSession(state, text);
const labelOf = async (at: CommitHome, id: string) => (await at.committer.sessionState(id)).label;

/** Matches only this session, without a label. */
const unlabelled = (id: string) =>
  guardOf(Session, id, ({ label }) => (label === null ? null : { refused: "session_busy", details: { id } }));

proves("E7", "a commit over several streams writes one append, in the order of the changes, or nothing", async () => {
  await using at = await makeCommitHome();
  const [parent, child] = [await at.openSession(), newId()];
  const before = at.appends();
  const opened = {
    of: subjectOf(Session, child),
    decide: (state: SessionState, seen: Seen) =>
      openSession(state, { spec: SPEC, label: seen(knownSession(parent)).id }),
  };
  const { events, before: states } = await at.committer.commit(
    [opened, { of: knownSession(parent), decide: noted("a child") }],
    { by: BY },
  );
  expect(at.appends()).toBe(before + 1);
  expect(events.map(({ stream, type }) => [stream, type])).toEqual([
    [sessionStream(child), "session.opened@1"],
    [sessionStream(parent), "x.note@1"],
  ]);
  expect(states.map(({ version }) => version)).toEqual([0, 1]);
  expect(await labelOf(at, child)).toBe(parent);

  const refused = { of: knownSession(parent), decide: () => ({ refused: "session_busy" as const, details: {} }) };
  const late = newId();
  const both = at.committer.commit([{ ...opened, of: subjectOf(Session, late) }, refused], { by: BY });
  await expect(both).rejects.toMatchObject({ code: "session_busy" });
  expect(await at.store.version(sessionStream(late))).toBe(0);
});

proves("E7", "commits that name the same streams in different orders do not deadlock", async () => {
  await using at = await makeCommitHome();
  const ids = [await at.openSession(), await at.openSession(), await at.openSession()];
  const work = Array.from({ length: 30 }, (_, n) => {
    const order = n % 2 === 0 ? ids : ids.toReversed();
    return at.committer.commit(
      order.slice(n % 3).map((id) => ({ of: knownSession(id), decide: noted(`${n}`) })),
      { by: BY },
    );
  });
  const single = ids.map((id) => at.committer.session(id, noted("single"), BY));
  await Promise.all([...work, ...single]);
  const versions = await Promise.all(ids.map((id) => at.store.version(sessionStream(id))));
  expect(versions.reduce((sum, version) => sum + version)).toBe(3 + 3 + 60);
});

proves("E7", "a stream that was decided on but gets no events is checked for its version too", async () => {
  await using at = await makeCommitHome();
  const [one, two] = [await at.openSession(), await at.openSession()];
  const release = at.hold();
  const commit = at.committer.commit(
    [
      { of: knownSession(one), decide: () => [] },
      { of: knownSession(two), decide: noted("late") },
    ],
    { by: BY },
  );
  const events = [{ id: newId(), at: new Date().toISOString(), actor: "other", cause: null, fact: NOTE }];
  await at.held();
  await at.store.append([{ stream: sessionStream(one), expectedVersion: 1, events }], { fence: 0 });
  release();
  await expect(commit).rejects.toMatchObject({ code: "stale_version", details: { stream: sessionStream(one) } });
  expect(await at.store.version(sessionStream(two))).toBe(1);
});

const NOTE = { type: "x.note@1" as const, data: { turnId: null, payload: "other" } };

proves("E8", "a guarded stream that moved before the append: the whole commit is decided again", async () => {
  await using at = await makeCommitHome();
  const [changed, looked] = [await at.openSession(), await at.openSession()];
  let looks = 0;
  const guard = {
    stream: sessionStream(looked),
    check: (folded: Folded) => {
      looks += 1;
      return unlabelled(looked).check(folded);
    },
  };
  const release = at.hold();
  const commit = at.committer.commit([{ of: knownSession(changed), decide: noted("guarded") }], {
    by: BY,
    expect: [guard],
  });
  // The guarded stream moves between the read and the append, and the guard still allows it.
  const events = [{ id: newId(), at: new Date().toISOString(), actor: "other", cause: null, fact: NOTE }];
  await at.held();
  await at.store.append([{ stream: sessionStream(looked), expectedVersion: 1, events }], { fence: 0 });
  release();
  expect((await commit).events).toMatchObject([{ type: "x.note@1", version: 2 }]);
  expect(looks).toBe(2);

  const again = at.hold();
  const refused = at.committer.commit([{ of: knownSession(changed), decide: noted("too late") }], {
    by: BY,
    expect: [guard],
  });
  const fact = { type: "session.labelled@1" as const, data: { label: "taken" } };
  const label = [{ id: newId(), at: new Date().toISOString(), actor: "other", cause: null, fact }];
  await at.held();
  await at.store.append([{ stream: sessionStream(looked), expectedVersion: 2, events: label }], { fence: 0 });
  again();
  await expect(refused).rejects.toMatchObject({ code: "session_busy", details: { id: looked } });
  expect(await at.store.version(sessionStream(changed))).toBe(2);
});

proves("E8", "a guard can refuse a change without events, and can guard a stream that the commit changes", async () => {
  await using at = await makeCommitHome();
  const [one, two] = [await at.openSession(), await at.openSession()];
  await at.committer.session(two, labelled("taken"), BY);
  const nothing = { of: knownSession(one), decide: () => [] };
  const options = { by: BY, expect: [unlabelled(two)] };
  await expect(at.committer.commit([nothing], options)).rejects.toMatchObject({ code: "session_busy" });
  const own = { by: BY, expect: [unlabelled(one)] };
  expect((await at.committer.commit([nothing], own)).events).toEqual([]);
  await at.committer.commit([{ of: knownSession(one), decide: labelled("mine") }], own);
  const second = at.committer.commit([{ of: knownSession(one), decide: labelled("again") }], own);
  await expect(second).rejects.toMatchObject({ code: "session_busy" });
  expect(await labelOf(at, one)).toBe("mine");
});

proves("E8", "many commits guard a stream and then move it: exactly one succeeds", async () => {
  await using at = await makeCommitHome();
  const lane = await at.openSession();
  const takers = await Promise.all(Array.from({ length: 8 }, () => at.openSession()));
  const ends = await Promise.allSettled(
    takers.map((taker) =>
      at.committer.commit(
        [
          { of: knownSession(lane), decide: labelled(taker) },
          { of: knownSession(taker), decide: noted("has the lane") },
        ],
        { by: BY, expect: [unlabelled(lane)] },
      ),
    ),
  );
  expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  const versions = await Promise.all(takers.map((taker) => at.store.version(sessionStream(taker))));
  expect(versions.filter((version) => version === 2)).toHaveLength(1);
});

proves("E8", "a guarded stream that keeps moving: the commit ends as `overloaded` and writes nothing", async () => {
  await using at = await makeCommitHome();
  const [changed, restless] = [await at.openSession(), await at.openSession()];
  const stream = sessionStream(restless);
  const move = async () => {
    const events = [{ id: newId(), at: new Date().toISOString(), actor: "other", cause: null, fact: NOTE }];
    await at.store.append([{ stream, expectedVersion: await at.store.version(stream), events }], { fence: 0 });
  };
  const decide = async (state: SessionState) => {
    await move();
    return noted("never")(state);
  };
  const commit = at.committer.commit([{ of: knownSession(changed), decide }], {
    by: BY,
    expect: [unlabelled(restless)],
  });
  await expect(commit).rejects.toMatchObject({ code: "overloaded", details: { stream } });
  expect(await at.store.version(sessionStream(changed))).toBe(1);
});

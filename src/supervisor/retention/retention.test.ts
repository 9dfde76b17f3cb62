import { expect } from "vitest";
import { BY, makeCommitHome } from "../../../test/support/commit-home.ts";
import { proves } from "../../../test/support/proves.ts";
import { newRedactor } from "../../../test/support/redactor.ts";
import { event, newId, SPEC } from "../../../test/support/store-home.ts";
import { createCommitter, UNBOUNDED } from "../../commit/index.ts";
import { SYSTEM_STREAM, systemFact } from "../../domains/index.ts";
import { systemClock } from "../../host/index.ts";
import { endSession, forkSession, openSession, Session } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";
import { createRetention } from "./retention.ts";

proves("KEEP-6", "a fork made while the plan is read keeps its parent and the parent's ancestors", async () => {
  await using home = await makeCommitHome();
  const { store } = home;
  const clock = systemClock();
  const leased = systemFact("lease.acquired@1", { resource: "home", holder: "test", fence: 1 });
  const parts = [{ stream: SYSTEM_STREAM, expectedVersion: 0, events: [event(leased)] }];
  await store.append(parts, { fence: 1 });
  const committer = createCommitter({ store, clock, newId, fence: 1, bounds: UNBOUNDED, redactor: newRedactor() });
  const open = async (): Promise<string> => {
    const id = newId();
    await committer.change(Session, id, (state) => openSession(state, { spec: SPEC, label: null }), BY);
    return id;
  };
  const fork = async (parent: string): Promise<string> => {
    const id = newId();
    const { stream, version, headId, view } = await committer.sessionState(parent);
    const point = { eventId: headId ?? "", stream, version };
    const forked = { spec: SPEC, label: null, from: { ...point, sessionId: parent }, root: parent, view };
    await committer.change(Session, id, (state) => forkSession(state, forked), BY, point);
    return id;
  };
  const stop = (id: string) =>
    committer.change(Session, id, (state) => endSession(state, { kind: "killed", reason: "done" }), BY);
  const grandparent = await open();
  const parent = await fork(grandparent);
  const other = await open();
  for (const id of [grandparent, parent, other]) await stop(id);

  let forks = 0;
  const rows: Store["rows"] = async (list, query) => {
    const found = await store.rows(list, query);
    if (forks++ === 0) await fork(parent);
    return found;
  };
  const retention = createRetention({
    store: { ...store, rows },
    committer,
    clock,
    folder: "/nowhere",
    sweepSnapshots: async () => undefined,
  });
  await retention.collect({ maxAgeDays: 0, discard: true }, () => undefined, BY);
  const isArchived = async (id: string) => (await committer.sessionState(id)).archived !== null;
  expect(await Promise.all([grandparent, parent, other].map(isArchived))).toEqual([false, false, true]);
});

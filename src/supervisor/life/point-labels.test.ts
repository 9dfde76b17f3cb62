import { afterAll, beforeAll, expect } from "vitest";
import { BY, type CommitHome, makeCommitHome } from "../../../test/support/commit-home.ts";
import { proves } from "../../../test/support/proves.ts";
import { newId, SPEC } from "../../../test/support/store-home.ts";
import { addCustom, fact, forkSession, LIMITS, Session } from "../../kernel/index.ts";
import { findPoint, viewAt } from "./lineage.ts";
import { createLabelling, pointLabels, pointNamed } from "./point-labels.ts";

let home: CommitHome;
beforeAll(async () => {
  home = await makeCommitHome();
});
afterAll(() => home[Symbol.asyncDispose]());

const stateOf = (id: string) => home.committer.sessionState(id);
const mark = (id: string, event: string, label: string | null) => createLabelling(home).mark(id, event, label, BY);
const labels = async (id: string) => (await pointLabels(home.store, await stateOf(id))).map(({ label }) => label);
const notes = async (id: string, count: number): Promise<readonly string[]> => {
  const items = Array.from({ length: count }, (_, at) => ({ type: "x.note@1" as const, payload: at }));
  const { events } = await home.committer.session(id, (state) => addCustom(state, null, items), BY);
  return events.map((event) => event.id);
};
const forkAt = async (id: string, eventId: string): Promise<string> => {
  const [born, parent] = [newId(), await stateOf(id)];
  const point = await findPoint(home.store, parent, eventId);
  const view = await viewAt(home.store, parent, point);
  const input = { spec: SPEC, label: null, from: { ...point, sessionId: id }, root: parent.root, view };
  await home.committer.change(Session, born, (state) => forkSession(state, input), BY, point);
  return born;
};

proves("ENG-17", "a session has at most so many labels; moving and removing one is always possible", async () => {
  const id = await home.openSession();
  const [extra = "", ...events] = await notes(id, LIMITS.pointLabelsMax + 1);
  const given = events.map((eventId, index) => fact("point.labelled@1", { eventId, label: `point ${index}` }));
  await home.committer.session(id, () => given, BY);
  await expect(mark(id, extra, "one more")).rejects.toMatchObject({ code: "labels_full" });
  await mark(id, extra, "point 0");
  expect(await labels(id)).toHaveLength(LIMITS.pointLabelsMax);
  await mark(id, extra, null);
  await mark(id, events[0] ?? "", "one more");
  expect(await labels(id)).toHaveLength(LIMITS.pointLabelsMax);
});

proves("ENG-17", "a fork of a fork has the labels of its path, as they were when each fork was made", async () => {
  const id = await home.openSession();
  const [one = "", two = "", three = ""] = await notes(id, 3);
  await mark(id, one, "one");
  await mark(id, three, "three");
  const child = await forkAt(id, two);
  await mark(id, two, "too late");
  await mark(child, two, "two");
  // Its point is in the grandparent's stream, and its label in the parent's.
  const grandchild = await forkAt(child, two);
  expect(await labels(child)).toEqual(["one", "two"]);
  expect(await labels(grandchild)).toEqual(["one", "two"]);
  expect(await pointNamed(home.store, await stateOf(grandchild), "two")).toMatchObject({ eventId: two });
  await mark(grandchild, one, null);
  expect([await labels(grandchild), await labels(child)]).toEqual([["two"], ["one", "two"]]);
});

proves("ENG-17", "an erased label is gone, and the point can be labelled again", async () => {
  const id = await home.openSession();
  const [one = ""] = await notes(id, 1);
  const [given] = await mark(id, one, "a name");
  await home.committer.erase(Session, id, [given?.id ?? ""], "asked for", BY);
  expect(await labels(id)).toEqual([]);
  await mark(id, one, "another");
  expect(await labels(id)).toEqual(["another"]);
});

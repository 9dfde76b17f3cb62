import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { answer, failing } from "../../engine/model-server/index.ts";
import { proves } from "../../support/proves.ts";
import {
  ended,
  eventsOf,
  eventually,
  expectOk,
  expectRefusal,
  newFolder,
  PATIENCE,
  type Session,
  show,
  start,
} from "../support/talk.ts";
import { saidIn } from "./support/chat.ts";
import { begin, COMPLETED, openStage, play, resultOf, type Stage } from "./support/scenes.ts";

vi.setConfig(PATIENCE);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

interface Mark {
  readonly eventId: string;
  readonly label: string;
  readonly at: string;
  readonly isOnPath: boolean;
}
interface Marks {
  readonly marks: readonly Mark[];
  readonly next: number | null;
}

const SCRIPT = "demo/script";
const post = (id: string, what: string, body: object) =>
  stage.daemon().call<Session>("POST", `/sessions/${id}/${what}`, body);
const rewind = async (id: string, body: object): Promise<Session> => expectOk(await post(id, "rewind", body));
const fork = async (id: string, body: object): Promise<Session> => expectOk(await post(id, "fork", body), 201);
const mark = async (id: string, event: string, label: string | null) =>
  expectOk(await stage.daemon().call("POST", `/sessions/${id}/marks`, { event, label }));
const marksOf = async (id: string, query = ""): Promise<Marks> =>
  expectOk(await stage.daemon().call<Marks>("GET", `/sessions/${id}/marks${query}`));
const labelsOf = async (id: string): Promise<readonly (readonly [string, boolean])[]> =>
  (await marksOf(id)).marks.map(({ label, isOnPath }) => [label, isOnPath]);
const lastSaid = async (id: string): Promise<string> =>
  String((await eventsOf(stage.daemon(), id, "types=message.completed")).at(-1)?.data["text"]);
const headOf = async (id: string): Promise<string> => String((await show(stage.daemon(), id)).head);
/** The turn that a rewind with `summarize` admitted. */
const branchTurn = async (id: string): Promise<string> =>
  String((await eventsOf(stage.daemon(), id, "types=turn.admitted")).at(-1)?.data["turnId"]);

proves.concurrent(
  "ENG-16",
  "a rewind with a summary: the model knows a word that was said only on the branch that was left",
  async () => {
    const { id } = await begin(stage.daemon(), SCRIPT);
    await play(stage.daemon(), id, "say hello");
    await play(stage.daemon(), id, "say the word is CODEWORD=rowan");
    await rewind(id, { turn: 1 });
    await play(stage.daemon(), id, "recall");
    expect(await lastSaid(id)).toBe("The code word is unknown.");
    await play(stage.daemon(), id, "say now it is CODEWORD=alder");
    const left = await headOf(id);
    await rewind(id, { turn: 1, summarize: true, focus: "the word" });
    expect(await resultOf(stage.daemon(), id, await branchTurn(id))).toMatchObject(COMPLETED);
    const [branched] = await eventsOf(stage.daemon(), id, "types=context.branched");
    expect(branched?.data).toMatchObject({ summary: { text: expect.stringContaining("CODEWORD=alder") } });
    expect(branched?.data["from"]).toBe(left);
    const steps = await eventsOf(stage.daemon(), id, "types=step.started");
    expect(steps.at(-1)?.data["purpose"]).toBe("branch");
    await play(stage.daemon(), id, "recall");
    expect(await lastSaid(id)).toBe("The code word is alder.");
  },
);

proves.concurrent(
  "ENG-16",
  "the request for a summary has the left branch alone; the next one has the summary and neither branch nor command",
  async () => {
    const { model, queue, requests } = stage.scene();
    queue(answer("One."), answer("Two."), answer("It went nowhere."), answer("Three."));
    const { id } = await begin(stage.daemon(), model);
    await play(stage.daemon(), id, "first");
    await play(stage.daemon(), id, "second");
    const kept = await eventsOf(stage.daemon(), id);
    await rewind(id, { turn: 1, summarize: true, focus: "the colour" });
    await resultOf(stage.daemon(), id, await branchTurn(id));
    const asked = saidIn(requests()[2]);
    expect(asked).toContain("[User] second\n\n[Assistant] Two.");
    expect(asked).toContain("the colour");
    expect(asked).not.toContain("first");
    await play(stage.daemon(), id, "third");
    const said = saidIn(requests()[3]);
    expect(said).toContain("It went nowhere.");
    expect(said.startsWith("first\nOne.\n")).toBe(true);
    expect(said).not.toContain("second");
    expect(said).not.toContain("/branch");
    expect((await eventsOf(stage.daemon(), id)).slice(0, kept.length)).toEqual(kept);
  },
);

proves.concurrent("ENG-16", "files go back with a rewind, and the summary names those of the left branch", async () => {
  const cwd = await newFolder();
  writeFileSync(join(cwd, "a.txt"), "before");
  const { id } = await begin(stage.daemon(), SCRIPT, { cwd });
  await play(stage.daemon(), id, "say hello");
  await play(stage.daemon(), id, "read a.txt\nwrite b.txt CODEWORD=larch\nsay done");
  await rewind(id, { turn: 1, summarize: true });
  expect(await resultOf(stage.daemon(), id, await branchTurn(id))).toMatchObject(COMPLETED);
  expect(() => readFileSync(join(cwd, "b.txt"))).toThrow();
  const [branched] = await eventsOf(stage.daemon(), id, "types=context.branched");
  expect(branched?.data["files"]).toMatchObject({ read: ["a.txt"], modified: ["b.txt"] });
});

proves.concurrent(
  "ENG-16",
  "a summary that fails ends its turn alone: the rewind stands, and the session goes on",
  async () => {
    const { model, queue, requests } = stage.scene();
    queue(answer("One."), answer("Two."), failing(400, { error: { message: "no" } }), answer("Three."));
    const { id } = await begin(stage.daemon(), model);
    await play(stage.daemon(), id, "first");
    await play(stage.daemon(), id, "second");
    await rewind(id, { turn: 1, summarize: true });
    expect(await resultOf(stage.daemon(), id, await branchTurn(id))).toMatchObject({
      outcome: "failed",
      error: { code: "branch_summary_failed" },
    });
    expect(await eventsOf(stage.daemon(), id, "types=context.branched")).toEqual([]);
    await play(stage.daemon(), id, "third");
    expect(saidIn(requests()[3])).toBe("first\nOne.\nthird");
  },
);

proves.concurrent("ENG-16", "a branch on which nothing was said needs no model", async () => {
  const { id } = await begin(stage.daemon(), SCRIPT);
  await play(stage.daemon(), id, "say hello");
  await rewind(id, { to: await headOf(id), summarize: true });
  expect(await resultOf(stage.daemon(), id, await branchTurn(id))).toMatchObject(COMPLETED);
  expect(await eventsOf(stage.daemon(), id, "types=context.branched")).toEqual([]);
});

proves.concurrent("ENG-16", "another agent's session has no summary: it is refused, and nothing changes", async () => {
  const { id } = await start(stage.daemon());
  await play(stage.daemon(), id, "say x");
  const before = await eventsOf(stage.daemon(), id);
  expectRefusal(await post(id, "rewind", { turn: 0, summarize: true }), 409, "branch_unsupported");
  expect(await eventsOf(stage.daemon(), id)).toEqual(before);
});

proves.concurrent("ENG-7", "a step that was tried again leaves nothing of its failure in a request", async () => {
  const { model, queue, requests } = stage.scene();
  queue(answer("One."), failing(503, { error: { message: "BUSY" } }), answer("Two."), answer("Three."));
  const { id } = await begin(stage.daemon(), model);
  for (const text of ["first", "second", "third"])
    expect(await play(stage.daemon(), id, text)).toMatchObject(COMPLETED);
  expect(saidIn(requests().at(-1))).toBe("first\nOne.\nsecond\nTwo.\nthird");
  expect(saidIn(requests()[2])).toBe(saidIn(requests()[1]));
});

proves.concurrent("ENG-17", "rewind and fork take a label; one that is unknown is refused", async () => {
  const { id } = await begin(stage.daemon(), SCRIPT);
  await play(stage.daemon(), id, "say the word is CODEWORD=willow");
  const good = await headOf(id);
  expect(await mark(id, good, " before the ash ")).toEqual({ id, eventId: good, label: "before the ash" });
  await play(stage.daemon(), id, "say the word is CODEWORD=ash");
  await mark(id, await headOf(id), "after it");
  const child = await fork(id, { at: "before the ash" });
  await play(stage.daemon(), child.id, "recall");
  expect(await lastSaid(child.id)).toBe("The code word is willow.");
  // Only what is on its path, and it is labelled there too.
  expect(await labelsOf(child.id)).toEqual([["before the ash", true]]);
  await rewind(id, { to: "before the ash" });
  await play(stage.daemon(), id, "recall");
  expect(await lastSaid(id)).toBe("The code word is willow.");
  // A rewind takes no label back: one goes forward again by it.
  expect(await labelsOf(id)).toEqual([
    ["before the ash", true],
    ["after it", false],
  ]);
  await rewind(id, { to: "after it" });
  await play(stage.daemon(), id, "recall");
  expect(await lastSaid(id)).toBe("The code word is ash.");
  const unknown = expectRefusal(await post(id, "rewind", { to: "no such" }), 404, "event_not_found");
  expect(unknown.details).toMatchObject({ eventId: "no such", sessionId: id });
  expectRefusal(await post(id, "fork", { at: "no such" }), 404, "event_not_found");
});

proves.concurrent("ENG-17", "a label is at one point: it moves, is replaced and is removed", async () => {
  const { id } = await start(stage.daemon());
  await play(stage.daemon(), id, "say x");
  const [one, two] = (await eventsOf(stage.daemon(), id)).map((event) => event.id);
  if (one === undefined || two === undefined) throw new Error("no events");
  await mark(id, one, "here");
  await mark(id, two, "here");
  expect((await marksOf(id)).marks).toMatchObject([{ eventId: two, label: "here" }]);
  const before = await eventsOf(stage.daemon(), id);
  await mark(id, two, "here");
  expect(await eventsOf(stage.daemon(), id)).toEqual(before);
  await mark(id, "here", "there");
  await mark(id, one, "first");
  const page = await marksOf(id, "?limit=1");
  expect(page.marks.map(({ label }) => label)).toEqual(["first"]);
  expect((await marksOf(id, `?after=${page.next}`)).marks.map(({ label }) => label)).toEqual(["there"]);
  await mark(id, "there", null);
  await mark(id, one, "");
  expect(await marksOf(id)).toEqual({ marks: [], next: null });
});

proves.concurrent("ENG-17", "a label of another session, and an event of another one, are refused", async () => {
  const [mine, other] = [await start(stage.daemon()), await start(stage.daemon())];
  await play(stage.daemon(), other.id, "say x");
  const theirs = await headOf(other.id);
  await mark(other.id, theirs, "theirs");
  expectRefusal(await post(mine.id, "rewind", { to: "theirs" }), 404, "event_not_found");
  expectRefusal(await post(mine.id, "fork", { at: "theirs" }), 404, "event_not_found");
  expectRefusal(await post(mine.id, "marks", { event: "theirs", label: "mine" }), 404, "event_not_found");
  expectRefusal(await post(mine.id, "marks", { event: theirs, label: "mine" }), 404, "event_not_found");
  expectRefusal(await post(other.id, "marks", { event: theirs, label: theirs }), 400, "invalid_request");
  // A fork that was made before knows nothing of a later label.
  const child = await fork(other.id, {});
  await mark(other.id, theirs, "later");
  expect(await labelsOf(child.id)).toEqual([["theirs", true]]);
  await mark(child.id, "theirs", "own");
  expect(await labelsOf(child.id)).toEqual([["own", true]]);
  expect(await labelsOf(other.id)).toEqual([["later", true]]);
});

proves(
  "ENG-16",
  "a daemon that is killed while the branch is summarised: the next one goes on with it, once",
  async () => {
    const { model, queue, requests } = stage.scene();
    queue(answer("One."), answer("Two."), { do: "silence" });
    const { id } = await begin(stage.daemon(), model);
    await play(stage.daemon(), id, "first");
    await play(stage.daemon(), id, "second");
    await rewind(id, { turn: 1, summarize: true });
    const turnId = await branchTurn(id);
    await eventually("the request", async () => requests().length === 3);
    queue(answer("It went nowhere."), answer("Three."));
    await stage.restart("kill9");
    expect(await resultOf(stage.daemon(), id, turnId)).toMatchObject(COMPLETED);
    expect(await eventsOf(stage.daemon(), id, "types=context.branched")).toHaveLength(1);
    await play(stage.daemon(), id, "third");
    expect(saidIn(requests().at(-1))).toContain("It went nowhere.");
  },
);

proves("ENG-17", "labels and branch summaries are there after a kill", async () => {
  const { id } = await begin(stage.daemon(), SCRIPT);
  await play(stage.daemon(), id, "say hello");
  await mark(id, await headOf(id), "greeted");
  await play(stage.daemon(), id, "say the word is CODEWORD=hazel");
  await rewind(id, { to: "greeted", summarize: true });
  await ended(stage.daemon(), id, await branchTurn(id));
  const before = await marksOf(id);
  await stage.restart("kill9");
  expect(await marksOf(id)).toEqual(before);
  expect(before.marks).toMatchObject([{ label: "greeted", isOnPath: true }]);
  expect(await play(stage.daemon(), id, "recall")).toMatchObject(COMPLETED);
  expect(await lastSaid(id)).toBe("The code word is hazel.");
  await rewind(id, { to: "greeted" });
  await play(stage.daemon(), id, "recall");
  expect(await lastSaid(id)).toBe("The code word is unknown.");
});

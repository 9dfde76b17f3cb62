import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { answer, calling } from "../../engine/model-server/index.ts";
import { proves } from "../../support/proves.ts";
import { eventsOf, expectOk, newFolder, PATIENCE, typesOf } from "../support/talk.ts";
import { call, expectValid, saidIn } from "./support/chat.ts";
import {
  type Behaviour,
  begin,
  COMPLETED,
  openStage,
  play,
  type SeenRequest,
  SMALL_WINDOW,
  type Stage,
} from "./support/scenes.ts";

vi.setConfig(PATIENCE);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

/** A quarter of the window is kept free. */
const THRESHOLD = SMALL_WINDOW * 0.75;
/** Of about that many tokens. */
const words = (name: string, tokens: number): string => `${name} ${"wood and\n".repeat((tokens * 4) / 9)}`;
const counted = (text: string, tokens: number) => answer(text, { usage: { input: tokens - 20, output: 20 } });
const compactionsOf = (id: string) => eventsOf(stage.daemon(), id, "types=context.compacted");
/** A request for a summary has no tools. */
const isSummary = ({ body }: SeenRequest): boolean => !Object.hasOwn(body as object, "tools");

proves.concurrent(
  "ENG-8",
  "case 19: a context that just fits is left alone; one token more is compacted, and after more it is compacted again",
  async () => {
    const { small, decide, requests } = stage.scene();
    const cwd = await newFolder();
    writeFileSync(join(cwd, "a.txt"), words("RESULT", 1000));
    const answers: Behaviour[] = [];
    const queue = (...more: readonly Behaviour[]) => void answers.push(...more);
    let summaries = 0;
    decide((request) => {
      if (!isSummary(request)) return answers.shift() ?? null;
      summaries += 1;
      return answer(`SUMMARY-${summaries}`);
    });
    const { id } = await begin(stage.daemon(), small, { cwd });
    queue(counted("One.", 6000));
    expect(await play(stage.daemon(), id, words("FIRST", 5000))).toMatchObject(COMPLETED);
    const second = [calling(call("read", { path: "a.txt" })), counted("Two.", THRESHOLD)];
    queue(...second);
    expect(await play(stage.daemon(), id, words("SECOND", 7000))).toMatchObject(COMPLETED);
    expect(await compactionsOf(id)).toEqual([]);
    const child = expectOk(await stage.daemon().call<{ id: string }>("POST", `/sessions/${id}/fork`, {}), 201);
    queue(counted("Three.", THRESHOLD + 1));
    expect(await play(stage.daemon(), child.id, "third")).toMatchObject(COMPLETED);
    const [first] = await compactionsOf(child.id);
    expect(first?.data).toMatchObject({ reason: "threshold", strategy: "summary", isSplitTurn: false });
    expect(saidIn(requests().find(isSummary))).toContain("FIRST");
    expect(saidIn(requests().find(isSummary))).not.toContain("SECOND");

    const third = requests().findLast((one) => !isSummary(one));
    expectValid(third);
    expect(saidIn(third)).toMatch(/^What came before.*SUMMARY-1/s);
    expect(saidIn(third)).not.toContain("FIRST");
    expect(saidIn(third)).toContain("RESULT");

    queue(counted("Four.", 9000));
    expect(await play(stage.daemon(), child.id, words("FOURTH", 7000))).toMatchObject(COMPLETED);
    const fourth = requests().findLast((one) => !isSummary(one));
    expectValid(fourth);
    expect(saidIn(fourth)).toMatch(/^What came before.*SUMMARY-2.*FOURTH/s);
    expect(saidIn(fourth)).not.toContain("SECOND");
    expect(saidIn(requests().findLast(isSummary))).toContain("SUMMARY-1");
    const compactions = await compactionsOf(child.id);
    expect(compactions.length).toBe(2);
    // What is cut is an entry as a whole: never a result without its call.
    const events = [...(await eventsOf(stage.daemon(), id)), ...(await eventsOf(stage.daemon(), child.id))];
    for (const { data } of compactions) {
      const kept = events.find((event) => event.id === data["keptFrom"]);
      expect(["turn.started@1", "step.started@1"]).toContain(kept?.type);
    }
    queue(answer("Five."));
    expect(await play(stage.daemon(), child.id, "fifth")).toMatchObject(COMPLETED);
    expect(saidIn(requests().at(-1))).toContain("SUMMARY-2");
    expectValid(requests().at(-1));
    expect(await compactionsOf(id)).toEqual([]);
  },
);

proves.concurrent(
  "ENG-8",
  "cases 20 and 22: one long turn crosses the threshold: it is compacted between steps, its beginning is summarised apart, and it goes on",
  async () => {
    const { small, decide, requests } = stage.scene();
    const cwd = await newFolder();
    for (let n = 1; n <= 9; n += 1) writeFileSync(join(cwd, `${n}.txt`), words(`FILE-${n}`, 3000));
    let step = 0;
    decide((request) => {
      if (isSummary(request)) return answer("PART-SUMMARY", { usage: null });
      step += 1;
      return step > 9
        ? answer("All read.", { usage: null })
        : { ...calling(call("read", { path: `${step}.txt` })), usage: null };
    });
    const { id } = await begin(stage.daemon(), small, { cwd });
    expect(await play(stage.daemon(), id, "TASK: read all files")).toMatchObject(COMPLETED);
    const types = typesOf(await eventsOf(stage.daemon(), id));
    expect(types.indexOf("context.compacted@1")).toBeGreaterThan(0);
    expect(types.indexOf("context.compacted@1")).toBeLessThan(types.indexOf("turn.ended@1"));
    const compactions = await compactionsOf(id);
    expect(compactions[0]?.data).toMatchObject({ reason: "threshold", isSplitTurn: true });
    const last = requests().findLast((one) => !isSummary(one));
    expectValid(last);
    expect(saidIn(last)).toContain("PART-SUMMARY");
    expect(saidIn(last)).toContain("FILE-9");
    expect(saidIn(last)).not.toContain("FILE-1 ");
    for (const request of requests()) expect(request.bytes).toBeLessThan(SMALL_WINDOW * 4 + 40_000);
  },
);

proves.concurrent(
  "ENG-8",
  "asked to compact with a focus: the summary is asked for with it, and is in the next request",
  async () => {
    const { model, queue, requests } = stage.scene();
    queue(answer("One."), answer("Two."), answer("ASKED-SUMMARY"));
    const { id } = await begin(stage.daemon(), model);
    await play(stage.daemon(), id, words("FIRST", 25_000));
    await play(stage.daemon(), id, words("SECOND", 3000));
    expectOk(await stage.daemon().call("POST", `/sessions/${id}/compact`, { focus: "the colour of the wood" }));
    expect(saidIn(requests()[2])).toContain("the colour of the wood");
    queue(answer("Three."));
    await play(stage.daemon(), id, "third");
    expect(saidIn(requests()[3])).toContain("ASKED-SUMMARY");
    expect(saidIn(requests()[3])).not.toContain("/compact");
    const [compacted] = await compactionsOf(id);
    expect(compacted?.data).toMatchObject({ reason: "asked", focus: "the colour of the wood" });
  },
);

proves.concurrent(
  "ENG-8",
  "a summary that fails leaves the conversation as it was, and the turn completes",
  async () => {
    const { small, decide, requests } = stage.scene();
    decide((request) =>
      isSummary(request)
        ? { do: "status", status: 400, body: { error: { message: "no summaries today" } } }
        : counted("Fine.", THRESHOLD + 100),
    );
    const { id } = await begin(stage.daemon(), small);
    await play(stage.daemon(), id, words("FIRST", 3000));
    expect(await play(stage.daemon(), id, words("SECOND", 7000))).toMatchObject(COMPLETED);
    expect(await compactionsOf(id)).toEqual([]);
    expect(requests().filter(isSummary).length).toBeGreaterThan(0);
    expect(await play(stage.daemon(), id, "third")).toMatchObject(COMPLETED);
    expect(saidIn(requests().findLast((one) => !isSummary(one)))).toContain("FIRST");
  },
);

proves.concurrent(
  "ENG-8",
  "a fork before a compaction has the whole conversation; after a rewind behind it, too",
  async () => {
    const { model, queue, requests } = stage.scene();
    queue(answer("One."), answer("SUMMARY"), answer("Two."), answer("Three."));
    const { id } = await begin(stage.daemon(), model);
    await play(stage.daemon(), id, words("FIRST", 25_000));
    expectOk(await stage.daemon().call("POST", `/sessions/${id}/compact`, {}));
    const child = expectOk(await stage.daemon().call<{ id: string }>("POST", `/sessions/${id}/fork`, { turn: 1 }), 201);
    expect(await play(stage.daemon(), child.id, "there?")).toMatchObject(COMPLETED);
    expect(saidIn(requests()[2])).toContain("FIRST");
    expectOk(await stage.daemon().call("POST", `/sessions/${id}/rewind`, { turn: 1 }));
    expect(await play(stage.daemon(), id, "here?")).toMatchObject(COMPLETED);
    expect(saidIn(requests()[3])).toContain("FIRST");
    expect(saidIn(requests()[3])).not.toContain("SUMMARY");
  },
);

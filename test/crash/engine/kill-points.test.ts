import { afterAll, beforeAll, expect, vi } from "vitest";
import {
  type Behaviour,
  openStage,
  type SeenRequest,
  SMALL_WINDOW,
  type Stage,
} from "../../e2e/engine/support/scenes.ts";
import {
  approvalsOf,
  eventsOf,
  eventually,
  expectOk,
  idle,
  PATIENCE,
  pendingOf,
  prompt,
  show,
} from "../../e2e/support/talk.ts";
import { answer, calling, failing } from "../../engine/model-server/index.ts";
import { proves } from "../../support/proves.ts";
import { sampled } from "../../support/sampled.ts";
import { carefulAgent, expectLedger, expectVerified, first, inOrder, marking, marksIn, shell } from "./scripts.ts";
import { countOf, type Working, type WorkOptions, work } from "./sessions.ts";

vi.setConfig(PATIENCE);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const FOREVER_MS = 600_000;

const hold = (choose: Parameters<typeof work>[1], options?: WorkOptions): Promise<Working> =>
  work(stage, choose, options);
const events = (id: string, family: string): Promise<number> => countOf(stage, id, family);

proves(
  "REC-3",
  "kill -9 while a model is silent, while it streams, retries or summarises, while a command runs, a question waits, a turn is parked: all go on",
  async () => {
    const agent = await carefulAgent(stage);
    const silent = await hold(first([{ do: "silence" }], inOrder(marking("a"))));
    const streams = await hold(first([answer("half of it", { pauseMs: FOREVER_MS })], inOrder(marking("a"))));
    const retries = await hold(first([failing(529, {}, { "retry-after": "50" })], inOrder(marking("a"))));
    const runs = await hold(inOrder(marking("a", "sleep 600"), marking("b")));
    const asks = await hold(inOrder(marking("a"), marking("b")), { agent });
    const question = calling({
      name: "ask_user",
      input: JSON.stringify({ question: "Blue?", options: ["yes", "no"] }),
    });
    const wonders = await hold(first([question], () => answer("done")));
    const parked = await hold(
      first([shell(marking("a")), failing(429, {}, { "retry-after": "3600" })], () => answer("done")),
    );
    const sums = await hold(() => answer("x".repeat(40_000)));
    await idle(stage.daemon(), sums.id);
    let isHeld = true;
    sums.decide(() => (isHeld ? { do: "silence" } : answer("all of it")));
    await prompt(stage.daemon(), sums.id, "/compact");

    for (const { requests } of [silent, streams, retries, sums])
      await eventually("a request", async () => requests().length > 0);
    await eventually("streaming", async () => streams.requests().length === 1 && stage.server.answering() >= 3);
    await eventually("a failed step", async () => (await events(retries.id, "step.ended")) === 1);
    await eventually("a command", async () => (await marksIn(runs.cwd)).length === 1);
    await eventually("parked", async () => (await events(parked.id, "quota.reached")) === 1);
    await eventually("a summary", async () => sums.requests().length === 2);
    const pending = await pendingOf(stage.daemon(), asks.id);
    const blue = await pendingOf(stage.daemon(), wonders.id);
    // Steering that no step contains yet, and a prompt behind the turn.
    await prompt(stage.daemon(), silent.id, "and mind the gap", { steer: true });
    await prompt(stage.daemon(), runs.id, "next", { queue: true });

    isHeld = false;
    const daemon = await stage.restart();
    expect((await approvalsOf(daemon, asks.id)).map(({ id, status }) => [id, status])).toEqual([
      [pending.id, "pending"],
    ]);
    expectOk(await daemon.call("POST", `/api/approvals/${pending.id}/approve`, { option: "once" }));
    const second = await pendingOf(daemon, asks.id);
    expectOk(await daemon.call("POST", `/api/approvals/${second.id}/approve`, { option: "once" }));
    expectOk(await daemon.call("POST", `/api/approvals/${blue.id}/approve`, { option: "yes" }));
    const over = [silent, streams, retries, runs, asks, wonders, sums];
    for (const { id } of over) expect((await idle(daemon, id)).busy).toBe(false);
    for (const { id } of over)
      for (const { data } of await eventsOf(daemon, id, "types=turn.ended"))
        expect({ id, ...data }).toMatchObject({ outcome: "completed" });

    for (const one of [silent, streams, retries, runs, asks]) await expectLedger(daemon, one, one.requests());
    expect(await marksIn(runs.cwd)).toEqual(["a", "b"]);
    expect(await marksIn(asks.cwd)).toEqual(["a", "b"]);
    expect(JSON.stringify(runs.requests().at(1)?.body)).toContain("outcome is unknown");
    expect(JSON.stringify(silent.requests().at(1)?.body).split("mind the gap")).toHaveLength(2);
    expect(await events(wonders.id, "approval.requested")).toBe(1);
    expect(await events(sums.id, "context.compacted")).toBe(1);
    expect(await show(daemon, parked.id)).toMatchObject({ busy: true, waitingFor: "quota" });
    expect(await events(parked.id, "turn.resumed")).toBe(0);
    await daemon.call("POST", `/sessions/${parked.id}/interrupt`);
    expect((await idle(daemon, parked.id)).busy).toBe(false);
    await expectLedger(daemon, parked, parked.requests());
    await expectVerified(daemon);
  },
);

/** How often a fact stands in the log when the daemon is killed. */
const POINTS: readonly (readonly [type: string, times: number])[] = [
  ["effect.settled", 1],
  ["step.ended", 1],
  ["context.compacted", 1],
  ["turn.started", 1],
  ["context.composed", 1],
  ["step.started", 1],
  ["effect.begun", 1],
  ["tool.ended", 1],
  ["step.started", 2],
  ["effect.begun", 2],
  ["effect.settled", 2],
  ["tool.ended", 2],
  ["step.started", 3],
  ["step.ended", 3],
  ["turn.ended", 1],
];

const points = sampled(POINTS, POINTS.slice(0, 3));

proves(
  "REC-4",
  `kill -9 right after ${points.length} of ${POINTS.length} facts of a turn: it goes on, and no command runs twice`,
  async () => {
    for (const [type, times] of points) {
      const script = inOrder(marking("a", "sleep 0.05"), marking("b"));
      const held = await (type === "context.compacted" ? holdFull(script) : hold(script));
      await eventually(`${type} ${times}`, async () => (await events(held.id, type)) >= times);
      const daemon = await stage.restart();
      expect((await idle(daemon, held.id)).busy).toBe(false);
      const all = await expectLedger(daemon, held, held.requests());
      const ends = all.filter((event) => event.type === "turn.ended@1").map(({ data }) => data["outcome"]);
      expect({ type, times, ends: new Set(ends) }).toEqual({ type, times, ends: new Set(["completed"]) });
    }
    await expectVerified(stage.daemon());
  },
);

/** More than the part that a compaction keeps. */
const STORY = "a long story ".repeat(2200);

/** A session whose window is full after its first step: before the second one its conversation is summarised. */
async function holdFull(script: (request: SeenRequest) => Behaviour): Promise<Working> {
  const usage = { input: SMALL_WINDOW, output: 1 };
  let steps = 0;
  const choose = (request: SeenRequest): Behaviour => {
    if (!("tools" in Object(request.body))) return answer("the summary");
    steps += 1;
    return { ...script(request), ...(steps === 1 ? { usage } : {}) } as Behaviour;
  };
  const held = await hold(() => answer("fine"), { model: "small", text: STORY });
  await idle(stage.daemon(), held.id);
  held.decide(choose);
  await prompt(stage.daemon(), held.id, STORY);
  return held;
}

import { setTimeout as sleep } from "node:timers/promises";
import { expect, vi } from "vitest";
import { openStage, type Stage } from "../../e2e/engine/support/scenes.ts";
import { eventsOf, eventually, idle, PATIENCE, prompt } from "../../e2e/support/talk.ts";
import { answer } from "../../engine/model-server/index.ts";
import { proves } from "../../support/proves.ts";
import { sampled } from "../../support/sampled.ts";
import { leftProcesses } from "../../support/storm-daemon.ts";
import { seededRandom } from "../../support/storm-random.ts";
import { whenTestEnds } from "../../support/test-end.ts";
import { engineOf, expectLedger, expectVerified, first, inOrder, marking } from "./scripts.ts";
import { countOf, work } from "./sessions.ts";

vi.setConfig(PATIENCE);

const SESSIONS = 5;
const KILLS = sampled(40, 6);
const SILENT_MAX_MS = 14_000;

async function stageOfTest(): Promise<Stage> {
  const stage = await openStage();
  whenTestEnds(async () => stage[Symbol.asyncDispose]());
  return stage;
}

/** Ends the engine's process, once it has one. */
async function strike(stage: Stage): Promise<void> {
  process.kill(await eventually("an engine", async () => (await engineOf(stage.daemon())).pid), "SIGKILL");
}

async function endOf(stage: Stage, id: string): Promise<unknown> {
  await idle(stage.daemon(), id);
  return (await eventsOf(stage.daemon(), id, "types=turn.ended")).map(({ data }) => data);
}

proves.concurrent(
  "REC-5",
  "kill -9 of the engine's process at random moments: the daemon lives, its turns go on, and the status counts it",
  async () => {
    const stage = await stageOfTest();
    const random = seededRandom(Number(process.env["NOMOS_STORM_SEED"] ?? 1));
    const commands = ["a", "b", "c", "d"].map((mark) => marking(mark, "sleep 0.3"));
    const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => work(stage, inOrder(...commands))));
    let kills = 0;
    const stepsOf = () => Promise.all(sessions.map(({ id }) => countOf(stage, id, "step.ended")));
    const endsOf = () => Promise.all(sessions.map(({ id }) => countOf(stage, id, "turn.ended")));
    for (let before = await stepsOf(); kills < KILLS && (await endsOf()).includes(0); before = await stepsOf()) {
      await strike(stage);
      kills += 1;
      // A turn that is cut again and again without finishing a step is given up; here each one finishes some.
      await eventually("all work", async () => {
        const [steps, ends] = [await stepsOf(), await endsOf()];
        return steps.every((count, at) => count > (before[at] ?? 0) || ends[at] === 1);
      });
      await sleep(random.below(400));
    }
    for (const one of sessions) {
      expect(await endOf(stage, one.id)).toMatchObject([{ outcome: "completed" }]);
      await expectLedger(stage.daemon(), one, one.requests());
    }
    expect((await engineOf(stage.daemon())).crashes).toBe(kills);
    expect(stage.daemon().child.exitCode).toBeNull();
    await expectVerified(stage.daemon());
  },
);

proves.concurrent("REC-6", "an engine that hangs is noticed within 12 s, ended, and its turns go on", async () => {
  const stage = await stageOfTest();
  const held = await work(stage, first([answer("half", { pauseMs: 600_000 })], inOrder(marking("a"))));
  await eventually("a request", async () => held.requests().length === 1);
  const { pid } = await engineOf(stage.daemon());
  // The process of the status may be its sandbox. No command runs, so all that runs is the engine.
  for (const one of await leftProcesses(stage.home)) process.kill(one, "SIGSTOP");
  const sinceMs = Date.now();
  await eventually("noticed", async () => (await engineOf(stage.daemon())).crashes === 1);
  expect(Date.now() - sinceMs).toBeLessThan(SILENT_MAX_MS);
  expect(await endOf(stage, held.id)).toMatchObject([{ outcome: "completed" }]);
  await expectLedger(stage.daemon(), held, held.requests());
  expect((await engineOf(stage.daemon())).pid).not.toBe(pid);
});

proves.concurrent(
  "REC-7",
  "a turn that ends its engine again and again is given up after three resumptions; the others in the process are not",
  async () => {
    const stage = await stageOfTest();
    const poison = await work(stage, () => ({ do: "silence" }));
    // Finishes a step between two crashes: each command takes a while, and its step is over before.
    const other = await work(stage, inOrder(...Array.from({ length: 9 }, (_, n) => marking(`m${n}`, "sleep 0.2"))));
    for (let cut = 1; cut <= 4; cut += 1) {
      const before = await countOf(stage, other.id, "step.ended");
      await eventually(`request ${cut}`, async () => poison.requests().length >= cut);
      await eventually("the other works", async () => (await countOf(stage, other.id, "step.ended")) > before);
      await strike(stage);
    }
    expect(await endOf(stage, poison.id)).toMatchObject([{ outcome: "interrupted", error: { code: "turn_cut" } }]);
    expect(await countOf(stage, poison.id, "turn.resumed")).toBe(3);
    expect(await endOf(stage, other.id)).toMatchObject([{ outcome: "completed" }]);
    await expectLedger(stage.daemon(), other, other.requests());
    poison.decide(() => answer("well again"));
    const { turnId } = await prompt(stage.daemon(), poison.id, "once more");
    await idle(stage.daemon(), poison.id);
    const ends = await eventsOf(stage.daemon(), poison.id, "types=turn.ended");
    expect(ends.find(({ data }) => data["turnId"] === turnId)?.data).toMatchObject({ outcome: "completed" });
  },
);

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { expect, vi } from "vitest";
import { resultsIn, saidIn } from "../../e2e/engine/support/chat.ts";
import { openStage, type Stage } from "../../e2e/engine/support/scenes.ts";
import {
  eventsOf,
  eventually,
  expectOk,
  idle,
  newFolder,
  PATIENCE,
  pendingOf,
  prompt,
  show,
  start,
} from "../../e2e/support/talk.ts";
import { answer, failing } from "../../engine/model-server/index.ts";
import { proves } from "../../support/proves.ts";
import { expectNothingLeft } from "../../support/storm-daemon.ts";
import { whenTestEnds } from "../../support/test-end.ts";
import { carefulAgent, engineOf, expectLedger, expectVerified, first, inOrder, marking, marksIn } from "./scripts.ts";
import { countOf, type Working, work } from "./sessions.ts";

vi.setConfig(PATIENCE);

const PRELOAD = pathToFileURL(join(import.meta.dirname, "../../fixtures/jumping-clock.ts")).href;
const HOUR_MS = 3_600_000;
const LIMITED = failing(429, {}, { "retry-after": "90" });
const STOP_MAX_MS = 5000;
/** An idle daemon uses almost no processor time; a spinning one uses a whole core. */
const BUSY_MS_MAX = 700;

async function stageOfTest(through: readonly string[] = []): Promise<Stage> {
  const stage = await openStage({}, { through });
  whenTestEnds(async () => stage[Symbol.asyncDispose]());
  return stage;
}

proves.concurrent(
  "REC-8",
  "SIGTERM in the middle of turns: the daemon ends within 5 s, the turns stay open and go on in the next one",
  async () => {
    const stage = await stageOfTest();
    const agent = await carefulAgent(stage);
    const streams = await work(stage, first([answer("half", { pauseMs: 600_000 })], inOrder(marking("a"))));
    const runs = await work(stage, inOrder(marking("a", "sleep 600"), marking("b")));
    const asks = await work(stage, inOrder(marking("a")), { agent });
    const question = await pendingOf(stage.daemon(), asks.id);
    await eventually("streaming", async () => streams.requests().length === 1);
    await eventually("a command", async () => (await marksIn(runs.cwd)).length === 1);
    await prompt(stage.daemon(), runs.id, "next", { queue: true });

    const sinceMs = performance.now();
    expect(await stage.daemon().stop()).toBe(0);
    expect(performance.now() - sinceMs).toBeLessThan(STOP_MAX_MS);
    await expectNothingLeft(stage.home);
    const daemon = await stage.restart();
    expectOk(await daemon.call("POST", `/api/approvals/${question.id}/approve`, { option: "once" }));
    for (const one of [streams, runs, asks]) {
      await idle(daemon, one.id);
      const ends = await eventsOf(daemon, one.id, "types=turn.ended");
      expect(ends.map(({ data }) => data["outcome"])).toEqual(
        one === runs ? ["completed", "completed"] : ["completed"],
      );
      await expectLedger(daemon, one, one.requests());
    }
    // A turn that only waited for a person was not cut.
    expect(await countOf(stage, asks.id, "turn.resumed")).toBe(0);
    expect(await marksIn(runs.cwd)).toEqual(["a", "b"]);
    expect(resultsIn(runs.requests().at(1))[0]).toMatch(/outcome is unknown|exit code/);
    await expectVerified(daemon);
  },
);

async function parked(stage: Stage): Promise<Working> {
  const one = await work(stage, () => LIMITED);
  await eventually("parked", async () => (await countOf(stage, one.id, "quota.reached")) === 1);
  return one;
}

/** The fact is recorded a moment before the engine lets go of the turn. */
async function holdsNoTurn(stage: Stage): Promise<void> {
  await eventually("the engine lets go", async () => (await engineOf(stage.daemon())).turns === 0);
}

/** An append makes the alarm clock look at the time at once. */
async function nudge(stage: Stage): Promise<void> {
  await start(stage.daemon(), { adapter: "demo" });
}

/** Processor time that the daemon has used so far. */
async function usedMs({ daemon }: Stage): Promise<number> {
  const [, after = ""] = /\) (.*)/.exec(await readFile(`/proc/${daemon().pid}/stat`, "utf8")) ?? [];
  const fields = after.split(" ").map(Number);
  return ((fields[11] ?? 0) + (fields[12] ?? 0)) * 10;
}

async function expectIdleCpu(stage: Stage): Promise<void> {
  const before = await usedMs(stage);
  await sleep(1000);
  expect((await usedMs(stage)) - before).toBeLessThan(BUSY_MS_MAX);
}

proves.concurrent(
  "REC-9",
  "a usage limit parks the turn without the engine; it wakes when it is due, also in a later daemon, and takes steering, interrupts and kills meanwhile",
  async () => {
    const clock = join(await newFolder(), "clock");
    const stage = await stageOfTest(["env", `NODE_OPTIONS=--import=${PRELOAD}`, `NOMOS_TEST_CLOCK=${clock}`]);
    const jumpTo = (offsetMs: number) => writeFile(clock, String(offsetMs));
    const [waits, steered, queued, cut, killed] = await Promise.all(Array.from({ length: 5 }, () => parked(stage)));
    if (
      waits === undefined ||
      steered === undefined ||
      queued === undefined ||
      cut === undefined ||
      killed === undefined
    )
      throw new Error("five sessions");
    const session = await show(stage.daemon(), waits.id);
    expect(session).toMatchObject({ busy: true, waitingFor: "quota", waitingUntil: expect.any(String) });
    const waitMs = Date.parse(String(Object(session).waitingUntil)) - Date.now();
    expect(waitMs).toBeGreaterThan(60_000);
    expect(waitMs).toBeLessThanOrEqual(90_000);
    await holdsNoTurn(stage);
    expect(await prompt(stage.daemon(), steered.id, "mind the gap", { steer: true })).toMatchObject({ queued: false });
    expect(await prompt(stage.daemon(), queued.id, "later", { queue: true })).toMatchObject({ queued: true });
    expect((await stage.daemon().call("POST", `/sessions/${waits.id}/prompt`, { prompt: "now" })).status).toBe(409);

    await prompt(stage.daemon(), cut.id, "after the cut", { queue: true });
    cut.decide(() => answer("I am back."));
    expectOk(await stage.daemon().call("POST", `/sessions/${cut.id}/interrupt`));
    await idle(stage.daemon(), cut.id);
    const ends = await eventsOf(stage.daemon(), cut.id, "types=turn.ended");
    expect(ends.map(({ data }) => data["outcome"])).toEqual(["interrupted", "completed"]);
    expectOk(await stage.daemon().call("POST", `/sessions/${killed.id}/kill`));
    expect(await show(stage.daemon(), killed.id)).toMatchObject({ state: "killed", busy: false });

    const open = [waits, steered, queued];
    const asked = (times: number) => open.every(({ requests }) => requests().length === times);
    await jumpTo(-HOUR_MS);
    await nudge(stage);
    await expectIdleCpu(stage);
    expect(asked(1)).toBe(true);
    // Too early: the provider still says no, and the turns park again for as long as it asks for.
    await jumpTo(HOUR_MS);
    await nudge(stage);
    await eventually("asked again", async () => asked(2));
    for (const { id } of open)
      await eventually("parked", async () => (await countOf(stage, id, "quota.reached")) === 2);
    await expectIdleCpu(stage);
    expect(asked(2)).toBe(true);
    await holdsNoTurn(stage);
    expect(killed.requests()).toHaveLength(1);

    // Due while no daemon runs.
    for (const one of open) one.decide(() => answer("I am back."));
    await stage.daemon().kill9();
    await jumpTo(2 * HOUR_MS);
    const daemon = await stage.restart();
    for (const one of open) {
      await idle(daemon, one.id);
      expect((await show(daemon, one.id)).busy).toBe(false);
      for (const { data } of await eventsOf(daemon, one.id, "types=turn.ended"))
        expect(data).toMatchObject({ outcome: "completed" });
      expect(await countOf(stage, one.id, "quota.reset")).toBe(2);
    }
    expect(steered.requests().map((request) => saidIn(request).split("mind the gap").length)).toEqual([1, 2, 2]);
    expect(queued.requests()).toHaveLength(4);
    await expectVerified(daemon);
  },
);

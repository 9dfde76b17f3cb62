import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { NO_BOUNDS, NO_SCOPES, NO_SECRETS, NO_SESSION_FILES } from "../../../test/support/no-session-parts.ts";
import { proves } from "../../../test/support/proves.ts";
import { newRedactor } from "../../../test/support/redactor.ts";
import { makeTestHome, newId, SPEC } from "../../../test/support/store-home.ts";
import { throwOnFatal } from "../../../test/support/store-sqlite.ts";
import { createCommitter } from "../../commit/index.ts";
import { compilePolicy, DEFAULT_RULES, SYSTEM_STREAM, systemFact } from "../../domains/index.ts";
import { systemClock, systemFiles } from "../../host/index.ts";
import {
  admitTurn,
  answerApproval,
  forgetSession,
  openSession,
  pendingApprovals,
  Session,
  sessionStream,
  startSession,
} from "../../kernel/index.ts";
import { openSqliteStore } from "../../store/index.ts";
import { createApprovalWaiters, type Driver, DriverError, HandshakeError, TURN_VERBS } from "../../turns/index.ts";
import { createFrames } from "./frames.ts";
import { createTurnRunner } from "./turn-runner.ts";

const BY = { actor: "test" };

/** A runner on a real store, with a scripted driver and no processes. */
async function makeRunner(runTurn: Driver["runTurn"]) {
  const home = await makeTestHome();
  const store = await openSqliteStore({ home: home.path, onFatal: throwOnFatal });
  const clock = systemClock();
  const leased = systemFact("lease.acquired@1", { resource: "home", holder: "test", fence: 1 });
  const event = { id: newId(), at: new Date().toISOString(), actor: "test", cause: null, fact: leased };
  await store.append([{ stream: SYSTEM_STREAM, expectedVersion: 0, events: [event] }], { fence: 1 });
  const committer = createCommitter({ store, clock, newId, fence: 1, bounds: NO_BOUNDS, redactor: newRedactor() });
  const driver: Driver = { slug: "demo", summary: "", continuity: "native", check: async () => undefined, runTurn };
  const processes = {
    spawn: () => {
      throw new DriverError("driver_failed", "there are no processes here");
    },
    spawnDriver: () => {
      throw new DriverError("driver_failed", "there are no processes here");
    },
    spawnTool: () => {
      throw new DriverError("driver_failed", "there are no processes here");
    },
    agents: {
      spawn: () => {
        throw new DriverError("driver_failed", "there are no processes here");
      },
      tools: () => ({ url: "", token: "", end: () => undefined }),
      redactor: newRedactor(),
    },
    stopAll: async () => undefined,
    livesAt: () => false,
    sessionOfToken: () => null,
    whenKeyless: () => () => undefined,
  };
  const runner = createTurnRunner({
    advisories: { atStart: async () => null },
    scopes: NO_SCOPES,
    store,
    committer,
    clock,
    newId,
    processes,
    sessionFiles: NO_SESSION_FILES,
    files: systemFiles(),
    policy: () => compilePolicy(TURN_VERBS, DEFAULT_RULES),
    frames: createFrames(),
    waiters: createApprovalWaiters(store),
    driver: () => driver,
    toolPolicy: async () => "auto",
    permissions: { named: async () => null, unattended: () => "ask", answerWithinMs: () => null, home: "/nowhere" },
    onQuota: () => "tell",
    secrets: NO_SECRETS,
    turnTimeoutMs: () => 600_000,
    log: () => undefined,
  });
  const open = async (): Promise<string> => {
    const id = newId();
    await committer.change(Session, id, (state) => openSession(state, { spec: SPEC, label: null }), BY);
    return id;
  };
  const prompt = async (id: string): Promise<string> => {
    const turnId = newId();
    const turn = { turnId, prompt: { text: "x", blob: null, bytes: 1 }, queue: true };
    await runner.admit(id, turnId, (state) => admitTurn(state, turn), BY);
    return turnId;
  };
  const idle = async (id: string): Promise<void> => {
    const untilMs = Date.now() + 20_000;
    while (true) {
      const { phase, queue } = await committer.sessionState(id);
      if (phase.at !== "busy" && queue.length === 0) return;
      if (Date.now() > untilMs) throw new Error(`${id} is still ${phase.at} with ${queue.length} turns waiting`);
      await sleep(2);
    }
  };
  const outcomes = async (id: string): Promise<readonly unknown[]> => {
    const page = await store.readStream(sessionStream(id), { limit: 1000, types: ["turn.ended"] });
    return page.events.map(({ data }) => Object(data).outcome);
  };
  const close = async () => {
    await runner.drain(0);
    await store.close();
    await home[Symbol.asyncDispose]();
  };
  return { runner, committer, open, prompt, idle, outcomes, [Symbol.asyncDispose]: close };
}

proves("E5", "a turn admitted at any moment runs, also when the pump is about to rest", async () => {
  let running = 0;
  let most = 0;
  await using made = await makeRunner(async () => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
  });
  const id = await made.open();
  const admitted: string[] = [];
  for (let at = 0; at < 200; at += 1) {
    admitted.push(await made.prompt(id));
    // Varies the time between an admission and the pump's last check: none, a microtask, a loop iteration, a moment.
    if (at % 4 === 1) await Promise.resolve();
    if (at % 4 === 2) await new Promise((resolve) => setImmediate(resolve));
    if (at % 4 === 3) await made.idle(id);
  }
  await made.idle(id);
  expect(await made.outcomes(id)).toEqual(admitted.map(() => "completed"));
  expect(most).toBe(1);
});

proves(
  "E5",
  "a turn with nothing before it is admitted and started in one append; a turn behind it is not",
  async () => {
    let release = (): void => undefined;
    await using made = await makeRunner(() => new Promise<void>((resolve) => (release = resolve)));
    const id = await made.open();
    const admit = async (): Promise<readonly string[]> => {
      const turnId = newId();
      const turn = { turnId, prompt: { text: "x", blob: null, bytes: 1 }, queue: true };
      const events = await made.runner.admit(id, turnId, (state) => admitTurn(state, turn), BY);
      return events.map(({ type }) => type);
    };
    const finish = async (): Promise<void> => {
      release();
      await sleep(1);
    };
    await made.committer.session(id, (state) => startSession(state, "fresh"), BY);
    expect(await admit()).toEqual(["turn.admitted@1", "turn.started@1"]);
    expect(await admit()).toEqual(["turn.admitted@1"]);
    while ((await made.outcomes(id)).length < 2) await finish();
    await made.runner.drain(0);
    expect(await admit()).toEqual(["turn.admitted@1"]);
  },
);

proves("E5", "an interrupt ends the turn it finds, also one that is just starting, and the queue goes on", async () => {
  await using made = await makeRunner(async ({ signal }) => {
    await new Promise((resolve, reject) => {
      const done = setTimeout(resolve, 30);
      signal.addEventListener("abort", () => {
        clearTimeout(done);
        reject(signal.reason);
      });
      if (signal.aborted) reject(signal.reason);
    });
  });
  const id = await made.open();
  for (let at = 0; at < 30; at += 1) {
    await made.prompt(id);
    if (at % 3 === 0) await made.runner.interrupt(id, "interrupted");
    if (at % 3 === 1) await sleep(at % 7);
  }
  await made.idle(id);
  const outcomes = await made.outcomes(id);
  expect(outcomes).toHaveLength(30);
  expect(new Set(outcomes)).toEqual(new Set(["completed", "interrupted"]));
});

proves("E5", "a session forgotten while its turn runs does not delay the daemon's stop", async () => {
  await using made = await makeRunner(async ({ signal }) => {
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
  });
  const [forgotten, other] = [await made.open(), await made.open()];
  for (const id of [forgotten, other]) await made.prompt(id);
  await made.committer.session(forgotten, forgetSession, BY);
  await made.runner.drain(10);
  expect(await made.outcomes(other)).toEqual(["interrupted"]);
});

proves("E5", "a driver that never returns is abandoned, and what it does later changes nothing", async () => {
  let later: Promise<string> | null = null;
  await using made = await makeRunner(async ({ say }) => {
    if (later !== null) return;
    later = sleep(2600).then(() =>
      say("too late").then(
        () => "said",
        (error: { code?: string }) => String(error.code),
      ),
    );
    await new Promise(() => undefined);
  });
  const id = await made.open();
  await made.prompt(id);
  await sleep(20);
  const sinceMs = Date.now();
  await made.runner.interrupt(id, "interrupted");
  expect(Date.now() - sinceMs).toBeLessThan(4000);
  await made.prompt(id);
  await made.idle(id);
  expect(await made.outcomes(id)).toEqual(["interrupted", "completed"]);
  expect(await later).toBe("turn_ended");
});

proves("E5", "an answer that arrives while the daemon stops starts nothing", async () => {
  let wentOn = false;
  await using made = await makeRunner(async (port) => {
    port.reach({ step: 0 });
    await port.ask("May I?", ["yes", "no"]);
    wentOn = true;
  });
  const id = await made.open();
  const turnId = await made.prompt(id);
  const asked = async () => pendingApprovals(await made.committer.sessionState(id), turnId)[0];
  while ((await asked()) === undefined) await sleep(2);
  const approvalId = (await asked())?.approvalId ?? "";
  await made.runner.drain(50);
  await made.committer.session(
    id,
    (state) => answerApproval(state, approvalId, { status: "approved", option: "yes" }),
    BY,
  );
  await sleep(50);
  expect({ wentOn, outcomes: await made.outcomes(id) }).toEqual({ wentOn: false, outcomes: [] });
});

proves(
  "AG-6",
  "a session whose agent never started ends in error, with its first turn and the waiting ones",
  async () => {
    let fails = true;
    await using made = await makeRunner(async () => {
      await sleep(20);
      if (fails) throw new HandshakeError("agent_crashed", "it was gone, saying: no such model");
    });
    const id = await made.open();
    await made.prompt(id);
    await made.prompt(id);
    await made.idle(id);
    expect(await made.outcomes(id)).toEqual(["interrupted", "cancelled"]);
    expect((await made.committer.sessionState(id)).phase).toMatchObject({ at: "error" });

    fails = false;
    const other = await made.open();
    await made.prompt(other);
    await made.idle(other);
    fails = true;
    await made.prompt(other);
    await made.idle(other);
    expect(await made.outcomes(other)).toEqual(["completed", "interrupted"]);
    expect((await made.committer.sessionState(other)).phase).toMatchObject({ at: "idle" });
  },
);

import fc from "fast-check";
import { expect } from "vitest";
import { BUSY, foldOn, intent, PROMPT } from "../../../../test/support/kernel-states.ts";
import { proves } from "../../../../test/support/proves.ts";
import { LIMITS } from "../../limits.ts";
import { isRefusal } from "../../refusal.ts";
import { intendEffect } from "../decide-effect.ts";
import { endSession } from "../decide-life.ts";
import { admitTurn, endTurn, requestInterrupt, startNextTurn } from "../decide-turn.ts";
import type { Fact } from "../events.ts";
import type { SessionState } from "../state.ts";
import { continueTurn, isParked, quotaAlarms, reachQuota, ringQuota, startStep, steerTurn } from "./decide-steps.ts";

type Command =
  | { readonly do: "admit" | "next" | "steer" | "step" | "effect" | "cut" | "ring" | "interrupt" | "kill" }
  | { readonly do: "endStep"; readonly stop: "stop" | "error" }
  | { readonly do: "quota"; readonly onReset: "resume" | "continue" | "tell" }
  | { readonly do: "end"; readonly outcome: "completed" | "failed" | "interrupted" };

const often = (...names: readonly Exclude<Command["do"], "endStep" | "quota" | "end">[]) =>
  fc.record({ do: fc.constantFrom(...names) });
const COMMANDS: fc.Arbitrary<readonly Command[]> = fc.array(
  fc.oneof(
    { arbitrary: often("next", "steer", "step", "cut"), weight: 16 },
    { arbitrary: often("admit", "effect", "ring"), weight: 6 },
    { arbitrary: often("interrupt", "kill"), weight: 1 },
    { arbitrary: fc.record({ do: fc.constant("endStep"), stop: fc.constantFrom("stop", "error") }), weight: 3 },
    {
      arbitrary: fc.record({
        do: fc.constant("quota"),
        onReset: fc.constantFrom("resume", "resume", "continue", "tell"),
      }),
      weight: 4,
    },
    {
      arbitrary: fc.record({ do: fc.constant("end"), outcome: fc.constantFrom("completed", "failed", "interrupted") }),
      weight: 1,
    },
  ) as fc.Arbitrary<Command>,
  { minLength: 20, maxLength: 60 },
);

interface Moment {
  readonly before: SessionState;
  readonly command: Command;
  readonly facts: readonly Fact[];
  readonly after: SessionState;
}

/** Every state on the way, with the facts that led to the next. */
function forEveryHistory(look: (moments: readonly Moment[]) => void): void {
  fc.assert(
    fc.property(COMMANDS, (commands) => {
      let state = BUSY;
      const moments = commands.map((command, n): Moment => {
        const before = state;
        const facts = accepted(decide(before, command, `x${n}`));
        state = foldOn(before, ...facts);
        return { before, command, facts, after: state };
      });
      look(moments);
    }),
    { numRuns: 400 },
  );
}

function accepted(decision: ReturnType<typeof endTurn>): readonly Fact[] {
  return isRefusal(decision) ? [] : (decision as readonly Fact[]);
}

function decide(state: SessionState, command: Command, id: string): ReturnType<typeof endTurn> {
  const turnId = state.phase.at === "busy" ? state.phase.turnId : "none";
  switch (command.do) {
    case "admit":
      return admitTurn(state, { turnId: id, prompt: PROMPT, queue: true });
    case "next":
      return startNextTurn(state);
    case "steer":
      return steerTurn(state, { steerId: id, text: PROMPT });
    case "step": {
      const steers = (state.steers ?? []).map(({ steerId }) => steerId);
      return startStep(state, { turnId, stepId: id, model: "m", purpose: "answer", attempt: 1, steers });
    }
    case "endStep":
      return turnId === "none"
        ? []
        : [{ type: "step.ended@1", data: { ...STEP, turnId, stepId: id, stop: command.stop } }];
    case "effect":
      return intendEffect(state, { ...intent(id), turnId }, 1, null);
    case "cut":
      return continueTurn(state, "a test");
    case "quota":
      return reachQuota(state, { ...QUOTA, turnId, onReset: command.onReset, nextTurnId: `${id}c` });
    case "ring": {
      const [alarm] = quotaAlarms(state);
      return alarm === undefined ? [] : ringQuota(state, alarm);
    }
    case "interrupt":
      return requestInterrupt(state);
    case "kill":
      return endSession(state, { kind: "killed", reason: "a test" });
    case "end":
      return endTurn(state, { turnId, outcome: command.outcome, error: null, settles: true });
  }
}

const QUOTA = { until: "2026-01-02T00:00:00.000Z", reason: "used up" };
const STEP = {
  ...{ model: "m", costMicroUsd: null, parts: [], error: null, firstTokenMs: null, ms: 1 },
  usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
};

proves("K47", "an accepted steering message is delivered once, becomes a turn, or stays in the history", () => {
  forEveryHistory((moments) => {
    const facts = moments.flatMap((moment) => moment.facts);
    const delivered = facts.flatMap((fact) => (fact.type === "step.started@1" ? fact.data.steers : []));
    const admitted = facts.flatMap((fact) => (fact.type === "turn.admitted@1" ? [fact.data.turnId] : []));
    expect(new Set(delivered).size).toBe(delivered.length);
    const ends = new Map(
      facts.flatMap((fact) => (fact.type === "turn.ended@1" ? [[fact.data.turnId, fact.data]] : [])),
    );
    const last = moments.at(-1)?.after;
    for (const fact of facts) {
      if (fact.type !== "turn.steered@1") continue;
      const { steerId, turnId } = fact.data;
      const isTurn = admitted.includes(steerId);
      const waits = last?.steers?.some((steer) => steer.steerId === steerId) === true;
      const outcome = ends.get(turnId)?.outcome ?? null;
      const ways = [delivered.includes(steerId), isTurn, waits].filter(Boolean).length;
      if (outcome === null || outcome === "completed") expect(ways).toBe(1);
      else expect(isTurn || waits).toBe(false);
    }
    for (const { after } of moments) {
      if (after.phase.at !== "busy") expect(after.steers).toBeUndefined();
      expect(after.steers?.length ?? 0).toBeLessThanOrEqual(LIMITS.steersMax);
    }
  });
});

proves("K48", "a parked turn stays open until its limit resets or somebody ends it; a cut does not count", () => {
  let cuts = 0;
  forEveryHistory((moments) => {
    for (const { before, command, facts, after } of moments) {
      const alarms = quotaAlarms(after);
      expect(alarms.length).toBe(after.quota === undefined || after.phase.at === "killed" ? 0 : 1);
      if (command.do === "ring") expect(alarms).toEqual([]);
      if (!isParked(before)) continue;
      if (command.do === "cut") cuts += 1;
      const mayEnd = ["ring", "end", "kill", "quota"].includes(command.do) || before.stopAsked === true;
      if (!mayEnd) expect(isParked(after)).toBe(true);
      expect(facts.map(({ type }) => type)).not.toContain("turn.resumed@1");
      if (command.do === "ring") expect(after.phase).toEqual(before.phase);
    }
  });
  expect(cuts).toBeGreaterThan(50);
});

proves("K49", "a cut turn goes on without effects under way, three times in a row without a finished step", () => {
  forEveryHistory((moments) => {
    for (const { before, command, facts, after } of moments) {
      expect(after.resumes ?? 0).toBeLessThanOrEqual(LIMITS.resumesMax);
      if (command.do !== "cut" || before.phase.at !== "busy" || (isParked(before) && before.stopAsked !== true))
        continue;
      expect(Object.values(after.effects).filter(({ status }) => status === "begun")).toEqual([]);
      const isOver = before.stopAsked === true || (before.resumes ?? 0) === LIMITS.resumesMax;
      expect(after.phase.at).toBe(isOver ? "idle" : "busy");
      expect(facts.some(({ type }) => type === "turn.resumed@1")).toBe(!isOver);
      if (isOver) expect(after.recentTurns.at(-1)).toEqual({ turnId: before.phase.turnId, outcome: "interrupted" });
    }
  });
});

proves("K49", "a finished step, also an aborted one, begins the count anew; a failed one does not", () => {
  const cut = (state: SessionState) => foldOn(state, ...accepted(continueTurn(state, "a test")));
  const stepped = (state: SessionState, stop: "stop" | "aborted" | "error") =>
    foldOn(state, { type: "step.ended@1", data: { ...STEP, turnId: "t", stepId: "s", stop } });
  const thrice = cut(cut(cut(BUSY)));
  expect(thrice.resumes).toBe(LIMITS.resumesMax);
  expect(stepped(thrice, "error").resumes).toBe(LIMITS.resumesMax);
  expect(stepped(thrice, "stop").resumes).toBeUndefined();
  expect(stepped(thrice, "aborted").resumes).toBeUndefined();
  const last = accepted(continueTurn(thrice, "a test")).map(({ type }) => type);
  expect(last).toEqual(["turn.ended@1", "turn.settled@1"]);
});

proves(
  "K49",
  "a daemon that ends is not the turn's fault: the turn goes on for longer, and each count stands alone",
  () => {
    const restart = (state: SessionState) => foldOn(state, ...accepted(continueTurn(state, "a test", "daemon")));
    let state = foldOn(BUSY, ...accepted(continueTurn(BUSY, "a test")));
    for (let restarts = 1; restarts <= LIMITS.restartsMax; restarts += 1) state = restart(state);
    expect(state).toMatchObject({ phase: { at: "busy" }, resumes: 1, restarts: LIMITS.restartsMax });
    expect(accepted(continueTurn(state, "a test")).map(({ type }) => type)).toContain("turn.resumed@1");
    expect(restart(state).phase.at).toBe("idle");
    const stepped = foldOn(state, { type: "step.ended@1", data: { ...STEP, turnId: "t", stepId: "s", stop: "stop" } });
    expect(stepped.restarts).toBeUndefined();
  },
);

import fc from "fast-check";
import { expect } from "vitest";
import { histories } from "../../../test/support/kernel-histories.ts";
import { evolve, factsOf, isOfType, type Log, runCommands } from "../../../test/support/kernel-model.ts";
import { proves } from "../../../test/support/proves.ts";
import { beginEffect, recordOutput, settleEffect } from "./decide-effect.ts";
import { recoverSession } from "./decide-life.ts";
import { isEnded, type SessionState } from "./state.ts";

proves("K5", "an effect begins at most once and settles at most once; an unsettled effect is open in the fold", () => {
  forEveryLog((log) => {
    const intended = factsOf(log, "effect.intended@1").map(({ data }) => data.effectId);
    const begun = factsOf(log, "effect.begun@1").map(({ data }) => data.effectId);
    const settled = factsOf(log, "effect.settled@1").map(({ data }) => data.effectId);
    expect(new Set(begun).size).toBe(begun.length);
    expect(new Set(settled).size).toBe(settled.length);
    expect([...begun, ...settled].filter((effectId) => !intended.includes(effectId))).toEqual([]);
    const open = intended.filter((effectId) => !settled.includes(effectId));
    expect(Object.keys(log.head.effects).toSorted()).toEqual(open.toSorted());
    expect(open.filter((effectId) => log.head.effects[effectId]?.status === "begun").toSorted()).toEqual(
      open.filter((effectId) => begun.includes(effectId)).toSorted(),
    );
  });
});

proves("K5", "an effect that never began can only settle as refused, and has no output before it begins", () => {
  forEveryLog((log) => {
    const begun = new Set<string>();
    for (const { fact } of log.events) {
      if (isOfType(fact, "effect.begun@1")) begun.add(fact.data.effectId);
      if (isOfType(fact, "effect.settled@1") && !begun.has(fact.data.effectId))
        expect(fact.data.outcome).toBe("refused");
      if (isOfType(fact, "effect.output@1")) expect(begun).toContain(fact.data.effectId);
    }
  });
});

proves("K5", "an effect is intended while its turn runs and settled before the turn ends", () => {
  forEveryLog((log) => {
    let running: string | null = null;
    const open = new Map<string, string>();
    for (const { fact } of log.events) {
      if (isOfType(fact, "turn.started@1")) running = fact.data.turnId;
      if (isOfType(fact, "effect.intended@1")) {
        expect(fact.data.turnId).toBe(running);
        open.set(fact.data.effectId, fact.data.turnId);
      }
      if (isOfType(fact, "effect.settled@1")) open.delete(fact.data.effectId);
      if (isOfType(fact, "turn.ended@1")) {
        expect([...open.values()]).not.toContain(fact.data.turnId);
        if (running === fact.data.turnId) running = null;
      }
    }
  });
});

proves("K5", "an effect that asks a person does not begin while the question is open", () => {
  forEveryLog((log) => {
    const open = new Map<string, string>();
    for (const { fact } of log.events) {
      if (isOfType(fact, "approval.requested@1") && fact.data.effectId !== null)
        open.set(fact.data.approvalId, fact.data.effectId);
      if (isOfType(fact, "approval.answered@1") || isOfType(fact, "approval.closed@1"))
        open.delete(fact.data.approvalId);
      if (isOfType(fact, "effect.begun@1")) expect([...open.values()]).not.toContain(fact.data.effectId);
    }
  });
});

proves("K5", "a name like `constructor`, which every object inherits, is not an open effect", () => {
  const [log] = runCommands([]).logs;
  for (const effectId of ["constructor", "__proto__", "toString"]) {
    const state = log?.head ?? expect.fail("a world has a session");
    const refused = { refused: "effect_not_open" };
    expect(beginEffect(state, effectId, 1)).toMatchObject(refused);
    expect(recordOutput(state, { effectId, stream: "stdout", body: { text: "", blob: null, bytes: 0 } })).toMatchObject(
      refused,
    );
    expect(settleEffect(state, { effectId, outcome: "done", exitCode: 0, message: null })).toMatchObject(refused);
  }
});

proves("K6", "after a crash at any point no begun effect stays open, and none can begin again", () => {
  forEveryState((before, log) => {
    const begun = Object.entries(before.effects).filter(([, effect]) => effect.status === "begun");
    const after = recovered(before);
    for (const [effectId, { redo }] of begun) {
      expect(after.effects).not.toHaveProperty(effectId);
      expect(beginEffect(after, effectId, 2)).toMatchObject({ refused: "effect_not_open" });
      expect(recoveryFacts(before)).toContainEqual(
        expect.objectContaining({ data: expect.objectContaining({ effectId, outcome: "unknown", redo }) }),
      );
    }
    expect(log.stream).toBe(after.stream);
  });
});

proves("K6", "recovery starts nothing, and leaves the queue and an ended session as they are", () => {
  forEveryState((before) => {
    const types = new Set(recoveryFacts(before).map(({ type }) => type));
    expect(
      [...types].filter((type) => !["approval.closed@1", "effect.settled@1", "turn.ended@1"].includes(type)),
    ).toEqual([]);
    const after = recovered(before);
    expect(after.queue).toEqual(before.queue);
    expect(after.view).toEqual(before.view);
    if (isEnded(before)) expect(types.size).toBe(0);
  });
});

proves(
  "K6",
  "a cut turn ends interrupted and its questions expire; only a turn waiting at a driver checkpoint goes on, unless a person asked to end it",
  () => {
    forEveryState((before) => {
      const after = recovered(before);
      if (before.phase.at !== "busy") {
        expect(after).toBe(before);
        return;
      }
      const questions = Object.values(before.approvals);
      const begun = Object.values(before.effects).some((effect) => effect.status === "begun");
      const allowed = Object.values(before.effects).some((effect) => effect.resumes === true);
      const isOpen = questions.length > 0 || allowed;
      const isAsked = before.stopAsked === true;
      const waits = isOpen && questions.every(({ checkpoint }) => checkpoint !== null) && !begun && !isAsked;
      expect(after.phase.at).toBe(waits ? "busy" : "idle");
      if (waits) return;
      expect(after.recentTurns.at(-1)).toEqual({ turnId: before.phase.turnId, outcome: "interrupted" });
      expect(after.approvals).toEqual({});
    });
  },
);

proves("K6", "recovering twice gives the same result as recovering once", () => {
  forEveryState((before) => {
    expect(recoveryFacts(recovered(before))).toEqual([]);
  });
});

function recoveryFacts(state: SessionState) {
  const decision = recoverSession(state);
  return "refused" in decision ? expect.fail("a recovery is never refused") : decision;
}

function recovered(state: SessionState): SessionState {
  return recoveryFacts(state).reduce(
    (at, fact) => evolve(at, { id: `recovery-${at.version + 1}`, version: at.version + 1, at: "", fact }),
    state,
  );
}

function forEveryLog(check: (log: Log) => void): void {
  fc.assert(
    fc.property(histories, (commands) => runCommands(commands).logs.forEach(check)),
    { numRuns: 200 },
  );
}

/** A crash is tried at every version of every log, also inside an append. */
function forEveryState(check: (state: SessionState, log: Log) => void): void {
  forEveryLog((log) => {
    for (const state of log.states.values()) check(state, log);
  });
}

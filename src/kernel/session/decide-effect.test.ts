import { expect } from "vitest";
import {
  admission,
  asked,
  BUSY,
  begun,
  ENDED,
  foldOn,
  HIBERNATED,
  IDLE,
  intended,
  intent,
  question,
  RESTORING,
  STARTING,
  SUSPENDED,
} from "../../../test/support/kernel-states.ts";
import { proves } from "../../../test/support/proves.ts";
import type { Decision } from "../definitions/aggregate.ts";
import { LIMITS } from "../limits.ts";
import {
  answerApproval,
  askApproval,
  beginEffect,
  intendEffect,
  recordAllowed,
  recordDenial,
  recordOutput,
  settleEffect,
} from "./decide-effect.ts";
import { closeTurn, endSession, isBusy, isWorking, outlivesDaemon, recoverSession } from "./decide-life.ts";
import { fact } from "./events.ts";
import type { SessionState } from "./state.ts";

const said = (decision: Decision): string =>
  "refused" in decision ? decision.refused : decision.map(({ type }) => type).join(" ");
const numbered = <T>(count: number, make: (n: string) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(`${n}`));

proves("K5", "an allowed effect is intended and begun in one append; one that asks is not begun", () => {
  expect(intendEffect(BUSY, intent("e"), 7, null)).toEqual([
    fact("effect.intended@1", { ...intent("e"), verdict: "allow" }),
    fact("effect.begun@1", { effectId: "e", turnId: "t", fence: 7 }),
  ]);
  expect(intendEffect(BUSY, intent("e"), 7, question("a"))).toEqual([
    fact("effect.intended@1", { ...intent("e"), verdict: "ask" }),
    fact("approval.requested@1", question("a")),
  ]);
  expect(said(intendEffect(IDLE, intent("e"), 7, null))).toBe("turn_not_found");
  expect(said(intendEffect(foldOn(BUSY, intended("e")), intent("e"), 7, null))).toBe("effect_not_open");
  const almost = foldOn(BUSY, ...numbered(LIMITS.openEffectsMax - 1, intended));
  expect(said(intendEffect(almost, intent("e"), 7, null))).toBe("effect.intended@1 effect.begun@1");
  expect(said(intendEffect(foldOn(almost, intended("x")), intent("e"), 7, null))).toBe("effect_not_open");
});

proves("K13", "a question over the limit is refused, with an effect or without, and others are not", () => {
  const almost = foldOn(BUSY, ...numbered(LIMITS.pendingApprovalsMax - 1, (n) => asked(n, { question: n })));
  const full = foldOn(almost, asked("x", { question: "x" }));
  const wish = question("new", { question: "new" });
  expect([said(askApproval(almost, wish)), said(askApproval(full, wish))]).toEqual([
    "approval.requested@1",
    "queue_full",
  ]);
  expect(said(intendEffect(full, intent("e"), 1, wish))).toBe("queue_full");
  expect(said(intendEffect(full, intent("e"), 1, null))).toBe("effect.intended@1 effect.begun@1");
});

proves("K5", "an effect begins once, in its running turn, and not while its question is open", () => {
  const open = foldOn(BUSY, intended("e"));
  expect(beginEffect(open, "e", 7)).toEqual([fact("effect.begun@1", { effectId: "e", turnId: "t", fence: 7 })]);
  expect(said(beginEffect(foldOn(open, asked("a", { effectId: "e" })), "e", 7))).toBe("effect_not_open");
  expect(said(beginEffect(foldOn(open, asked("a", { effectId: "other" })), "e", 7))).toBe("effect.begun@1");
  expect([BUSY, foldOn(open, begun("e"))].map((state) => said(beginEffect(state, "e", 7)))).toEqual([
    "effect_not_open",
    "effect_not_open",
  ]);
});

proves("K5", "output and outcome belong to an effect that has begun; one that has not can only be refused", () => {
  const output = (state: SessionState) =>
    said(recordOutput(state, { effectId: "e", stream: "stdout", body: { text: "x", blob: null, bytes: 1 } }));
  const settle = (state: SessionState, outcome: "done" | "failed" | "refused") =>
    said(settleEffect(state, { effectId: "e", outcome, exitCode: null, message: null }));
  const [none, open, under] = [BUSY, foldOn(BUSY, intended("e")), foldOn(BUSY, intended("e"), begun("e"))];
  expect([none, open, under].map(output)).toEqual(["effect_not_open", "effect_not_open", "effect.output@1"]);
  expect([none, open, under].map((state) => settle(state, "done"))).toEqual([
    "effect_not_open",
    "effect_not_open",
    "effect.settled@1",
  ]);
  expect(settle(open, "refused")).toBe("effect.settled@1");
  expect(settle(none, "refused")).toBe("effect_not_open");
});

proves("K7", "a question is answered once; a rejected effect is settled with the answer", () => {
  const state = foldOn(BUSY, intended("e"), asked("a", { effectId: "e", options: ["yes", "always"] }), asked("b"));
  const approve = (approvalId: string, option: string | null) =>
    answerApproval(state, approvalId, { status: "approved", option });
  const reject = (approvalId: string, reason: string | null) =>
    answerApproval(state, approvalId, { status: "rejected", reason });
  expect(said(approve("a", "yes"))).toBe("approval.answered@1");
  expect(said(approve("a", null))).toBe("approval.answered@1");
  expect(approve("a", "no")).toEqual({
    refused: "invalid_option",
    details: { option: "no", options: ["yes", "always"] },
  });
  expect(said(approve("b", "any text"))).toBe("approval.answered@1");
  expect(said(approve("x", null))).toBe("already_answered");
  expect(reject("a", "because")).toEqual([
    fact("approval.answered@1", { approvalId: "a", turnId: "t", status: "rejected", option: null, reason: "because" }),
    fact("effect.settled@1", {
      ...{ effectId: "e", turnId: "t", outcome: "refused" as const, exitCode: null, message: "because", redo: null },
    }),
  ]);
  expect(reject("a", null)).toMatchObject([{}, { data: { message: "rejected" } }]);
  expect(said(reject("b", null))).toBe("approval.answered@1");
  const gone = foldOn(BUSY, asked("a", { effectId: "settled" }));
  expect(said(answerApproval(gone, "a", { status: "rejected", reason: null }))).toBe("approval.answered@1");
  for (const [first, status] of [
    [approve("a", "yes"), "approved"],
    [reject("a", null), "rejected"],
  ] as const) {
    if ("refused" in first) return expect.fail("it is open");
    const answer = { status, option: null, reason: null } as never;
    expect(said(answerApproval(foldOn(state, ...(first as never[])), "a", answer))).toBe("already_answered");
  }
});

proves("K7", "the same question joins the open one; a question of another kind does not", () => {
  const state = foldOn(BUSY, asked("a", { options: ["yes"], inputHash: "h" }));
  const ask = (more: object, on = state) =>
    said(askApproval(on, question("b", { options: ["yes"], inputHash: "h", ...more })));
  expect(askApproval(state, question("b", { options: ["yes"], inputHash: "h" }))).toEqual([
    fact("approval.joined@1", { approvalId: "a", turnId: "t", joinId: "b" }),
  ]);
  const action = { verb: "v", resource: "r" };
  for (const other of [
    { question: "?" },
    { options: [] },
    { action },
    { checkpoint: 1 },
    { inputHash: "i" },
    { effectId: "e" },
  ])
    expect([other, ask(other)]).toEqual([other, "approval.requested@1"]);
  expect(ask({ effectId: "e" }, foldOn(BUSY, asked("a", { effectId: "e", options: ["yes"], inputHash: "h" })))).toBe(
    "approval.requested@1",
  );
  expect(ask({}, foldOn(BUSY, asked("a", { effectId: "e", options: ["yes"], inputHash: "h" })))).toBe(
    "approval.requested@1",
  );
  expect(ask({ turnId: "u" })).toBe("turn_not_found");
});

proves("K5", "what the gate said is recorded in a running turn, a denial also outside of one", () => {
  const denial = (state: SessionState, turnId: string | null) =>
    said(recordDenial(state, { verb: "v", resource: "r", rules: [], turnId }));
  expect([denial(IDLE, null), denial(BUSY, "t"), denial(IDLE, "t")]).toEqual([
    "gate.denied@1",
    "gate.denied@1",
    "turn_not_found",
  ]);
  expect(ENDED.map((state) => denial(state, null))).toEqual(Array(3).fill("session_ended"));
  const allowed = { turnId: "t", verb: "v", resource: "r", rules: [] } as never;
  expect([said(recordAllowed(BUSY, allowed)), said(recordAllowed(IDLE, allowed))]).toEqual([
    "gate.allowed@1",
    "turn_not_found",
  ]);
});

proves("K6", "the end of a turn closes its questions and settles its effects by how far they were", () => {
  const state = foldOn(BUSY, asked("a"), asked("other", { turnId: "u" }), intended("i"), intended("b"), begun("b"));
  expect(closeTurn(state, "t", "interrupted", null, "expired")).toEqual([
    fact("approval.closed@1", { approvalId: "a", turnId: "t", status: "expired" }),
    fact("effect.settled@1", {
      ...{ effectId: "i", turnId: "t", outcome: "refused" as const, exitCode: null, redo: null },
      message: "the turn ended before it began",
    }),
    fact("effect.settled@1", {
      ...{ effectId: "b", turnId: "t", outcome: "unknown" as const, exitCode: null, redo: "ask" as const },
      message: "the turn ended while it was under way",
    }),
    fact("turn.ended@1", { turnId: "t", outcome: "interrupted", error: null }),
  ]);
  expect(closeTurn(state, "u", "completed", null, "cancelled")).toEqual([
    fact("approval.closed@1", { approvalId: "other", turnId: "u", status: "cancelled" }),
    fact("turn.ended@1", { turnId: "u", outcome: "completed", error: null }),
  ]);
  const ending = endSession(foldOn(state, admission("q")), { kind: "killed", reason: "r" });
  expect(said(ending)).toBe(
    "approval.closed@1 effect.settled@1 effect.settled@1 turn.ended@1 approval.closed@1 turn.ended@1 session.killed@1",
  );
  expect(said(endSession(foldOn(IDLE, asked("a")), { kind: "killed", reason: "r" }))).toBe(
    "approval.closed@1 session.killed@1",
  );
});

proves("K6", "a turn outlives its daemon only with something open, a checkpoint for it, and nothing under way", () => {
  const kept = { checkpoint: { at: 1 } };
  const allowed = fact("approval.answered@1", {
    ...{ approvalId: "a", turnId: "t", status: "approved" as const, option: null, reason: null },
  });
  const cases: readonly (readonly [SessionState, boolean])[] = [
    [BUSY, false],
    [IDLE, false],
    [foldOn(BUSY, asked("a", kept)), true],
    [foldOn(BUSY, asked("a")), false],
    [foldOn(BUSY, asked("a", kept), asked("b")), false],
    [foldOn(BUSY, asked("a", kept), intended("e"), begun("e")), false],
    [foldOn(BUSY, intended("e")), false],
    [foldOn(BUSY, intended("e"), asked("a", { ...kept, effectId: "e" }), allowed), true],
    [foldOn(BUSY, intended("e"), asked("a", { effectId: "e" }), allowed), false],
    [foldOn(BUSY, intended("e"), asked("a", { ...kept, effectId: "e" }), allowed, begun("e")), false],
  ];
  for (const [state, outlives] of cases) {
    expect(outlivesDaemon(state)).toBe(outlives);
    const recovered = said(recoverSession(state));
    if (outlives || state === IDLE) expect(recovered).toBe("");
    else expect(recovered).toMatch(/turn\.ended@1$/);
  }
});

proves("K2", "busy and working, in every state", () => {
  const waiting = (state: SessionState) => foldOn(state, admission("q"));
  const states = [STARTING, IDLE, BUSY, SUSPENDED, HIBERNATED, RESTORING, ...ENDED];
  expect(states.map(isBusy)).toEqual([false, false, true, false, false, true, false, false, false]);
  expect(states.map(isWorking)).toEqual([false, false, true, false, false, false, false, false, false]);
  expect(states.map(waiting).map(isWorking)).toEqual([true, true, true, false, true, true, false, false, false]);
  const cut = foldOn(RESTORING, fact("session.killed@1", { reason: "r" }));
  expect(isBusy(cut)).toBe(false);
});

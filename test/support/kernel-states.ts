import { type Fact, fact, newSessionState, type Question, type SessionState } from "../../src/kernel/index.ts";
import { evolve, SPEC } from "./kernel-model.ts";

/** States of a session that are written out, for tests of single decisions. */
export const OPENED = fact("session.opened@1", { spec: SPEC, label: null });
export const STARTED = fact("session.started@1", { continuity: "fresh" });
export const PROMPT = { text: "hello", blob: null, bytes: 5 };

export const fold = (...facts: readonly Fact[]): SessionState => foldOn(newSessionState("s"), ...facts);
export const foldOn = (before: SessionState, ...facts: readonly Fact[]): SessionState =>
  facts.reduce((state, given) => {
    const version = state.version + 1;
    return evolve(state, { id: `e${version}`, version, at: `t${version}`, fact: given });
  }, before);

export const admission = (turnId: string): Fact =>
  fact("turn.admitted@1", { turnId, prompt: "hello", blob: null, bytes: 5, queued: false });
export const running = (turnId: string): readonly Fact[] => [admission(turnId), fact("turn.started@1", { turnId })];
export const turnEnd = (turnId: string): Fact => fact("turn.ended@1", { turnId, outcome: "completed", error: null });
export const question = (approvalId: string, more: Partial<Question> = {}): Question => ({
  ...{ approvalId, turnId: "t", question: "May I?", options: [], action: null, effectId: null, checkpoint: null },
  ...more,
});
export const asked = (approvalId: string, more: Partial<Question> = {}): Fact =>
  fact("approval.requested@1", question(approvalId, more));
export const intent = (effectId: string) =>
  ({ effectId, turnId: "t", kind: "run", detail: {}, redo: "ask", rules: [] }) as const;
export const intended = (effectId: string): Fact =>
  fact("effect.intended@1", { ...intent(effectId), verdict: "allow" });
export const begun = (effectId: string): Fact => fact("effect.begun@1", { effectId, turnId: "t", fence: 1 });

export const STARTING = fold(OPENED);
export const IDLE = fold(OPENED, STARTED);
export const BUSY = foldOn(IDLE, ...running("t"));
export const SUSPENDED = foldOn(IDLE, fact("session.suspended@1", { reason: "r" }));
export const HIBERNATED = foldOn(IDLE, fact("session.hibernated@1", { reason: "r" }));
export const RESTORING = foldOn(IDLE, fact("restore.begun@1", { from: "a", to: "b" }));
export const ENDED: readonly SessionState[] = [
  foldOn(IDLE, fact("session.exited@1", { exitCode: 3 })),
  foldOn(IDLE, fact("session.killed@1", { reason: "r" })),
  foldOn(IDLE, fact("session.failed@1", { code: "c", message: "m" })),
];

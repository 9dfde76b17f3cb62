import type { Decision } from "../definitions/aggregate.ts";
import type { Continuity } from "../event-parts.ts";
import { type Refusal, refuse } from "../refusal.ts";
import type { ArchiveRef } from "./archive-ref.ts";
import { type Fact, fact } from "./events.ts";
import type { SessionSpec } from "./life-events.ts";
import { isEnded, type Point, pendingApprovals, type SessionState } from "./state.ts";
import type { RedoClass } from "./turn-events.ts";
import { inheritView, rewindView, type View } from "./view.ts";

export function openSession(
  state: SessionState,
  input: { readonly spec: SessionSpec; readonly label: string | null },
): Decision {
  if (state.version !== 0) return refuse("session_exists", { id: state.id });
  return [fact("session.opened@1", input)];
}

/** `view` is the parent's at the fork point; only this bounded summary of the parent is copied. */
export function forkSession(
  state: SessionState,
  input: {
    readonly spec: SessionSpec;
    readonly label: string | null;
    readonly from: Point & { readonly sessionId: string };
    readonly root: string;
    readonly view: View;
  },
): Decision {
  if (state.version !== 0) return refuse("session_exists", { id: state.id });
  return [fact("session.forked@1", { ...input, view: inheritView(input.view, input.from, state.stream) })];
}

export function rewindSession(state: SessionState, to: Point, view: View): Decision {
  if (isEnded(state)) return ended(state);
  if (isBusy(state)) return refuse("session_busy", { id: state.id });
  const next = { stream: state.stream, version: state.version + 1 };
  return [fact("session.rewound@1", { to, view: rewindView(view, to, next) })];
}

export function startSession(state: SessionState, continuity: Continuity): Decision {
  if (isEnded(state)) return ended(state);
  return state.phase.at === "starting" ? [fact("session.started@1", { continuity })] : [];
}

export function suspendSession(state: SessionState, reason: string): Decision {
  if (isEnded(state)) return ended(state);
  if (state.phase.at === "suspended") return [];
  if (state.phase.at === "busy") return refuse("session_busy", { id: state.id });
  return [fact("session.suspended@1", { reason })];
}

export function resumeSession(state: SessionState): Decision {
  if (isEnded(state)) return ended(state);
  if (state.phase.at !== "suspended") return refuse("session_not_suspended", { id: state.id, state: state.phase.at });
  return [fact("session.resumed@1", {})];
}

export function hibernateSession(state: SessionState, reason: string): Decision {
  if (isEnded(state)) return ended(state);
  if (isBusy(state)) return refuse("session_busy", { id: state.id });
  if (state.phase.at === "hibernated" || state.phase.at === "suspended") return [];
  return [fact("session.hibernated@1", { reason })];
}

export function wakeSession(state: SessionState, continuity: Continuity): Decision {
  if (isEnded(state)) return ended(state);
  return state.phase.at === "hibernated" ? [fact("session.woken@1", { continuity })] : [];
}

/** Only an ended session, and only once. */
export function archiveSession(
  state: SessionState,
  input: { readonly archive: ArchiveRef | null; readonly events: number },
): Decision {
  if (!isEnded(state)) return refuse("session_not_ended", { id: state.id });
  return state.archived === null ? [fact("session.archived@1", input)] : [];
}

export function labelSession(state: SessionState, label: string | null): Decision {
  return state.label === label ? [] : [fact("session.labelled@1", { label })];
}

/** Null takes the title away; the next prompt gives it no other. */
export function titleSession(state: SessionState, title: string | null): Decision {
  return state.title === title ? [] : [fact("session.titled@1", { title })];
}

export function forgetSession(state: SessionState): Decision {
  const end = isEnded(state) ? [] : [...settleAll(state), endFact({ kind: "killed", reason: "forgotten" })];
  return state.forgotten ? [] : [...end, fact("session.forgotten@1", {})];
}

export type End =
  | { readonly kind: "exited"; readonly exitCode: number | null }
  | { readonly kind: "killed"; readonly reason: string }
  | { readonly kind: "failed"; readonly code: string; readonly message: string };

/** Ends the session and everything open in it in one append, so that nothing is left to settle. */
export function endSession(state: SessionState, end: End): Decision {
  if (isEnded(state)) return ended(state);
  return [...settleAll(state), endFact(end)];
}

/**
 * Recovery by a new daemon. A running turn goes on only if its open question or allowed effect has not begun and the
 * driver left a checkpoint for it. Any other running turn was cut: it is ended, never run again.
 */
export function recoverSession(state: SessionState): Decision {
  if (state.phase.at !== "busy") return [];
  return outlivesDaemon(state) ? [] : closeTurn(state, state.phase.turnId, "interrupted", null, "expired");
}

/** False also for a turn that a person asked to end: it would go on as if nobody had. */
export function outlivesDaemon(state: SessionState): boolean {
  if (state.phase.at !== "busy" || state.stopAsked === true) return false;
  const questions = pendingApprovals(state, state.phase.turnId);
  const effects = Object.values(state.effects);
  if (effects.some((effect) => effect.status === "begun")) return false;
  const isOpen = questions.length > 0 || effects.some((effect) => effect.resumes === true);
  return isOpen && questions.every((question) => question.checkpoint !== null);
}

/** Busy with a turn, or with a restore of its files. */
export function isBusy(state: SessionState): boolean {
  return isWorking(state) || (state.restoring !== undefined && !isEnded(state));
}

/** From the admission of a turn until its end; the queue of a suspended session does not count. */
export function isWorking(state: SessionState): boolean {
  if (state.phase.at === "busy") return true;
  return state.queue.length > 0 && state.phase.at !== "suspended" && !isEnded(state);
}

/** Ends one turn and everything open in it. */
export function closeTurn(
  state: SessionState,
  turnId: string,
  outcome: "completed" | "failed" | "interrupted" | "cancelled",
  error: { readonly code: string; readonly message: string } | null,
  questions: "cancelled" | "expired",
): readonly Fact[] {
  const approvals = pendingApprovals(state, turnId).map(({ approvalId }) =>
    fact("approval.closed@1", { approvalId, turnId, status: questions }),
  );
  const effects = Object.entries(state.effects)
    .filter(([, effect]) => effect.turnId === turnId)
    .map(([effectId, effect]) => settleCut(effectId, turnId, effect.status === "begun" ? effect.redo : null));
  const steers = outcome === "completed" ? turnsOfSteers(state) : [];
  return [...approvals, ...effects, fact("turn.ended@1", { turnId, outcome, error }), ...steers];
}

/** Settles the effects of a turn that were under way when it was cut. */
export function cutEffects(state: SessionState, turnId: string): readonly Fact[] {
  return Object.entries(state.effects)
    .filter(([, effect]) => effect.turnId === turnId && effect.status === "begun")
    .map(([effectId, effect]) => settleCut(effectId, turnId, effect.redo, "the session was restarted"));
}

function settleCut(effectId: string, turnId: string, redo: RedoClass | null, cut = "the turn ended"): Fact {
  const outcome = redo === null ? "refused" : "unknown";
  const message = redo === null ? "the turn ended before it began" : `${cut} while it was under way`;
  return fact("effect.settled@1", { effectId, turnId, outcome, exitCode: null, message, redo });
}

function settleAll(state: SessionState): readonly Fact[] {
  const current =
    state.phase.at === "busy" ? closeTurn(state, state.phase.turnId, "interrupted", null, "cancelled") : [];
  const waiting = state.phase.at === "busy" ? pendingApprovals(state, state.phase.turnId) : [];
  const offers = Object.values(state.approvals).filter((one) => !waiting.includes(one));
  const closed = offers.map(({ approvalId, turnId }) =>
    fact("approval.closed@1", { approvalId, turnId, status: "cancelled" }),
  );
  return [...current, ...closed, ...cancelQueue(state)];
}

export function cancelQueue({ queue }: SessionState): readonly Fact[] {
  return queue.map(({ turnId }) => fact("turn.ended@1", { turnId, outcome: "cancelled", error: null }));
}

function endFact(end: End): Fact {
  switch (end.kind) {
    case "exited":
      return fact("session.exited@1", { exitCode: end.exitCode });
    case "killed":
      return fact("session.killed@1", { reason: end.reason });
    case "failed":
      return fact("session.failed@1", { code: end.code, message: end.message });
  }
}

function ended(state: SessionState): Refusal {
  return refuse("session_ended", { id: state.id, state: state.phase.at });
}

/** Steering that no step contained before its turn was completed: each message becomes a turn of its own. */
function turnsOfSteers({ steers = [] }: SessionState): readonly Fact[] {
  return steers.map(({ steerId, text: { text, blob, bytes } }) =>
    fact("turn.admitted@1", { turnId: steerId, prompt: text, blob, bytes, queued: true }),
  );
}

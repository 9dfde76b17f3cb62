import type { Placed } from "../definitions/event.ts";
import { LIMITS } from "../limits.ts";
import { ownEntry } from "../own-entry.ts";
import type { Fact } from "./events.ts";
import { ALWAYS, RECENT_TURNS_KEPT, type SessionState, WIDEN } from "./state.ts";
import type { Question } from "./turn-events.ts";

/** Turns, their effects and the questions to people. Null for a fact about something else. */
export function evolveWork(state: SessionState, fact: Fact, event: Placed<Fact>): SessionState | null {
  switch (fact.type) {
    case "turn.admitted@1": {
      const { turnId, title } = fact.data;
      if (isOver(state, turnId) || isRunning(state, turnId) || isQueued(state, turnId)) return state;
      const named = title === undefined || state.title !== undefined ? state : { ...state, title };
      return { ...named, queue: [...state.queue, { turnId, eventId: event.id }] };
    }
    case "turn.started@1":
      return isRunning(state, fact.data.turnId) ? { ...state, queue: without(state, fact.data.turnId) } : state;
    case "turn.ended@1": {
      const { turnId, outcome } = fact.data;
      if (isOver(state, turnId)) return state;
      const recentTurns = [...state.recentTurns, { turnId, outcome }].slice(-RECENT_TURNS_KEPT);
      return { ...state, queue: without(state, turnId), turnsEnded: state.turnsEnded + 1, recentTurns };
    }
    case "effect.intended@1": {
      const { effectId, turnId, kind, redo } = fact.data;
      if (ownEntry(state.effects, effectId) !== undefined) return state;
      return { ...state, effects: { ...state.effects, [effectId]: { turnId, kind, redo, status: "intended" } } };
    }
    case "effect.begun@1": {
      const open = ownEntry(state.effects, fact.data.effectId);
      if (open === undefined) return state;
      const { resumes: _over, ...effect } = open;
      return { ...state, effects: { ...state.effects, [fact.data.effectId]: { ...effect, status: "begun" } } };
    }
    case "effect.settled@1":
      return { ...state, effects: omit(state.effects, fact.data.effectId) };
    case "approval.requested@1":
      return withQuestion(state, fact.data, event.at);
    case "approval.answered@1": {
      const { approvalId, option, status } = fact.data;
      const question = ownEntry(state.approvals, approvalId);
      const { verb, resource } = question?.action ?? {};
      const granted = option === ALWAYS && verb !== undefined && !state.grants.includes(verb);
      const grants = granted ? [...state.grants, verb].slice(-LIMITS.grantsMax) : state.grants;
      const effects = status === "approved" ? withAllowed(state, question) : state.effects;
      const answered = { ...state, grants, effects, approvals: omit(state.approvals, approvalId) };
      if (verb !== WIDEN || status !== "approved" || resource === undefined) return answered;
      return { ...answered, widened: [...(state.widened ?? []), ...resource.split("\n")].slice(-LIMITS.widenedMax) };
    }
    case "approval.closed@1":
      return { ...state, approvals: omit(state.approvals, fact.data.approvalId) };
    default:
      return null;
  }
}

/** Without the detail: it may be large, and a fold stays small. */
function withQuestion(state: SessionState, { detail: _large, ...asked }: Question, askedAt: string): SessionState {
  if (ownEntry(state.approvals, asked.approvalId) !== undefined) return state;
  return { ...state, approvals: { ...state.approvals, [asked.approvalId]: { ...asked, askedAt } } };
}

function withAllowed({ effects }: SessionState, question: Question | undefined): SessionState["effects"] {
  const { effectId, checkpoint } = question ?? { effectId: null, checkpoint: null };
  const effect = effectId === null ? undefined : ownEntry(effects, effectId);
  if (effectId === null || checkpoint === null || effect?.status !== "intended") return effects;
  return { ...effects, [effectId]: { ...effect, resumes: true } };
}

function isQueued(state: SessionState, turnId: string): boolean {
  return state.queue.some((turn) => turn.turnId === turnId);
}

function isRunning(state: SessionState, turnId: string): boolean {
  return state.phase.at === "busy" && state.phase.turnId === turnId;
}

/** As far as the fold remembers. */
export function isOver(state: SessionState, turnId: string): boolean {
  return state.recentTurns.some((turn) => turn.turnId === turnId);
}

function without(state: SessionState, turnId: string): SessionState["queue"] {
  return state.queue.filter((turn) => turn.turnId !== turnId);
}

function omit<T>(map: { readonly [key: string]: T }, key: string): { readonly [key: string]: T } {
  const { [key]: _gone, ...rest } = map;
  return rest;
}

import type { Placed } from "../definitions/event.ts";
import { LIMITS } from "../limits.ts";
import { ownEntry } from "../own-entry.ts";
import type { Fact } from "./events.ts";
import {
  ALWAYS,
  type DriverState,
  NEW_DRIVER,
  type Phase,
  RECENT_TURNS_KEPT,
  type SessionState,
  WIDEN,
} from "./state.ts";
import { SESSION_TRANSITIONS, transition } from "./transitions.ts";
import type { Question } from "./turn-events.ts";
import { trimArtifacts, withArtifact } from "./view.ts";

/**
 * Folds one event. Total: it never refuses. A fact that fits no transition changes nothing, because the log is the
 * truth and a fold that throws would make it unreadable.
 */
export function evolveSession(state: SessionState, event: Placed<Fact>): SessionState {
  const placed: SessionState = { ...state, version: event.version, headId: event.id };
  if (event.fact === null) return placed;
  return apply({ ...placed, phase: nextPhase(state, event.fact, event.at) }, event.fact, event);
}

function nextPhase(state: SessionState, fact: Fact, at: string): Phase {
  const to = transition(SESSION_TRANSITIONS, state.phase.at, fact.type);
  if (to === null) return state.phase;
  switch (fact.type) {
    case "turn.started@1":
      if (isOver(state, fact.data.turnId)) return state.phase;
      return { at: "busy", turnId: fact.data.turnId, eventId: admission(state, fact.data.turnId), since: at };
    case "turn.ended@1":
      return state.phase.at === "busy" && state.phase.turnId === fact.data.turnId ? { at: "idle" } : state.phase;
    case "session.suspended@1":
      return { at: "suspended", reason: fact.data.reason };
    case "session.exited@1":
      return { at: "exited", endedAt: at, exitCode: fact.data.exitCode };
    case "session.killed@1":
      return { at: "killed", endedAt: at };
    case "session.failed@1":
      return { at: "error", endedAt: at, code: fact.data.code, message: fact.data.message };
    case "session.hibernated@1":
      return { at: "hibernated" };
    default:
      return { at: "idle" };
  }
}

function apply(state: SessionState, fact: Fact, event: Placed<Fact>): SessionState {
  switch (fact.type) {
    case "session.opened@1":
      if (state.spec !== null) return state;
      return { ...state, spec: fact.data.spec, label: fact.data.label, openedAt: event.at };
    case "session.forked@1": {
      if (state.spec !== null) return state;
      const { spec, label, from, root, view } = fact.data;
      const artifactNext = Object.fromEntries(
        Object.values(view.artifacts).map(({ artifactId, versions }) => [
          artifactId,
          (versions.at(-1)?.version ?? 0) + 1,
        ]),
      );
      return { ...state, spec, label, forkedFrom: from, root, view, artifactNext, openedAt: event.at };
    }
    case "session.labelled@1":
      return { ...state, label: fact.data.label };
    case "session.forgotten@1":
      return { ...state, forgotten: true };
    case "session.archived@1":
      return { ...state, archived: { at: event.at, archive: fact.data.archive } };
    case "session.rewound@1":
      // The agent's own memory is ahead of the rewound session, so it must not be resumed.
      return { ...withDriver(state, state.driver && { nativeId: null }), view: fact.data.view };
    case "driver.attached@1":
      return withDriver(state, { nativeId: fact.data.nativeId });
    case "driver.configured@1":
      return withDriver(state, { settings: fact.data });
    case "driver.offered@1": {
      const { turnId: _turn, ...offer } = fact.data;
      return withDriver(state, { offer });
    }
    case "tool.called@1":
    case "tool.ended@1":
    case "message.completed@1":
    case "effect.output@1":
      return { ...state, lastOutputAt: event.at };
    case "session.delegated@1": {
      const { childId, ended } = fact.data;
      const alive = (state.children ?? []).filter((id) => !ended.includes(id));
      const pastChildren = [...(state.pastChildren ?? []), ...ended].slice(-LIMITS.pastChildrenMax);
      return { ...state, children: [...alive, childId].slice(-LIMITS.childrenMax), pastChildren };
    }
    case "turn.admitted@1": {
      const { turnId } = fact.data;
      if (isOver(state, turnId) || isRunning(state, turnId) || isQueued(state, turnId)) return state;
      return { ...state, queue: [...state.queue, { turnId, eventId: event.id }] };
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
      if (ownEntry(state.approvals, fact.data.approvalId) !== undefined) return state;
      return {
        ...state,
        approvals: { ...state.approvals, [fact.data.approvalId]: { ...fact.data, askedAt: event.at } },
      };
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
    case "worktree.created@1":
    case "worktree.attached@1":
      return { ...state, worktree: fact.data.worktreeId };
    case "worktree.removed@1":
      return { ...state, worktree: null };
    case "approval.closed@1":
      return { ...state, approvals: omit(state.approvals, fact.data.approvalId) };
    case "artifact.written@1": {
      const { path, artifactId, turnId: _turn, ...artifact } = fact.data;
      const view = trimArtifacts(withArtifact(state.view, path, artifactId, artifact));
      const next = Math.max(ownEntry(state.artifactNext, artifactId) ?? 1, artifact.version + 1);
      return trimNumbering({ ...state, view, artifactNext: { ...state.artifactNext, [artifactId]: next } });
    }
    case "todo.replaced@1":
      return { ...state, view: { ...state.view, todo: fact.data.items } };
    case "snapshot.taken@1": {
      const { snapshot, storedBytes } = fact.data;
      const view = { ...state.view, world: { snapshot, skipped: null } };
      return { ...state, view, snapshotBytes: (state.snapshotBytes ?? 0) + storedBytes };
    }
    case "snapshot.skipped@1":
      return { ...state, view: { ...state.view, world: { snapshot: null, skipped: fact.data.code } } };
    case "restore.begun@1":
      return { ...state, restoring: { from: fact.data.from, to: fact.data.to } };
    case "restore.settled@1": {
      const { restoring: _over, ...rest } = state;
      const { outcome, from, to } = fact.data;
      return {
        ...rest,
        view: { ...state.view, world: { snapshot: outcome === "restored" ? to : from, skipped: null } },
      };
    }
    default:
      return state;
  }
}

function withAllowed({ effects }: SessionState, question: Question | undefined): SessionState["effects"] {
  const { effectId, checkpoint } = question ?? { effectId: null, checkpoint: null };
  const effect = effectId === null ? undefined : ownEntry(effects, effectId);
  if (effectId === null || checkpoint === null || effect?.status !== "intended") return effects;
  return { ...effects, [effectId]: { ...effect, resumes: true } };
}

function withDriver(state: SessionState, change: Partial<DriverState> | undefined): SessionState {
  return change === undefined ? state : { ...state, driver: { ...(state.driver ?? NEW_DRIVER), ...change } };
}

/** Rewinds leave artifact numbers behind; when there are too many, all are replaced by one lower bound. */
function trimNumbering(state: SessionState): SessionState {
  if (Object.keys(state.artifactNext).length <= LIMITS.artifactIdsMax) return state;
  const numbered = Object.entries(state.artifactNext);
  const shown = new Set(Object.values(state.view.artifacts).map(({ artifactId }) => artifactId));
  const gone = numbered.filter(([artifactId]) => !shown.has(artifactId)).map(([, next]) => next);
  const artifactNext = Object.fromEntries(numbered.filter(([artifactId]) => shown.has(artifactId)));
  return { ...state, artifactNext, artifactFloor: gone.reduce((a, b) => Math.max(a, b), state.artifactFloor) };
}

function isQueued(state: SessionState, turnId: string): boolean {
  return state.queue.some((turn) => turn.turnId === turnId);
}

function isRunning(state: SessionState, turnId: string): boolean {
  return state.phase.at === "busy" && state.phase.turnId === turnId;
}

/** As far as the fold remembers. */
function isOver(state: SessionState, turnId: string): boolean {
  return state.recentTurns.some((turn) => turn.turnId === turnId);
}

/** Empty only when the admission's data was erased. */
function admission(state: SessionState, turnId: string): string {
  return state.queue.find((turn) => turn.turnId === turnId)?.eventId ?? "";
}

function without(state: SessionState, turnId: string): SessionState["queue"] {
  return state.queue.filter((turn) => turn.turnId !== turnId);
}

function omit<T>(map: { readonly [key: string]: T }, key: string): { readonly [key: string]: T } {
  const { [key]: _gone, ...rest } = map;
  return rest;
}

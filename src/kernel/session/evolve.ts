import type { Placed } from "../definitions/event.ts";
import { LIMITS } from "../limits.ts";
import type { Fact } from "./events.ts";
import { evolveFiles } from "./evolve-files.ts";
import { evolveWork, isOver } from "./evolve-work.ts";
import { type DriverState, NEW_DRIVER, type Phase, type SessionState } from "./state.ts";
import { evolveSteps, evolveTurnEdge } from "./steps/evolve-steps.ts";
import { SESSION_TRANSITIONS, transition } from "./transitions.ts";

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
  const other = (): SessionState => evolveSteps(state, fact, event) ?? evolveFiles(state, fact) ?? state;
  return evolveTurnEdge(evolveLife(state, fact, event) ?? evolveWork(state, fact, event) ?? other(), fact);
}

/** The session itself: opened, forked, labelled, rewound, and what its driver says. Null for a fact about something else. */
function evolveLife(state: SessionState, fact: Fact, event: Placed<Fact>): SessionState | null {
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
    case "session.titled@1":
      return { ...state, title: fact.data.title };
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
    default:
      return null;
  }
}

function withDriver(state: SessionState, change: Partial<DriverState> | undefined): SessionState {
  return change === undefined ? state : { ...state, driver: { ...(state.driver ?? NEW_DRIVER), ...change } };
}

/** Empty only when the admission's data was erased. */
function admission(state: SessionState, turnId: string): string {
  return state.queue.find((turn) => turn.turnId === turnId)?.eventId ?? "";
}

import type { Placed } from "../../definitions/event.ts";
import type { Spent } from "../driver-events.ts";
import type { Fact } from "../events.ts";
import { NEW_DRIVER, type SessionState } from "../state.ts";

/** Steps, steering, the prompt's context and usage limits. Null for a fact about something else. */
export function evolveSteps(state: SessionState, fact: Fact, event: Placed<Fact>): SessionState | null {
  switch (fact.type) {
    case "step.started@1": {
      const { steers } = fact.data;
      return steers.length === 0 ? state : withSteers(state, ({ steerId }) => !steers.includes(steerId));
    }
    case "step.ended@1": {
      const { usage, costMicroUsd, stop } = fact.data;
      const spent = added(state.spent, { ...usage, costMicroUsd });
      return { ...(stop === "error" ? state : withoutResumes(state)), spent };
    }
    case "usage.reported@1":
      return fact.data.spent === undefined ? state : { ...state, spent: added(state.spent, fact.data.spent) };
    case "turn.steered@1": {
      const { steerId, turnId, ...text } = fact.data;
      if (state.phase.at !== "busy" || state.phase.turnId !== turnId) return state;
      return { ...state, steers: [...(state.steers ?? []), { steerId, text }] };
    }
    case "turn.interrupt_requested@1":
      if (state.phase.at !== "busy" || state.phase.turnId !== fact.data.turnId) return state;
      return { ...state, stopAsked: true };
    case "turn.resumed@1":
      if (state.phase.at !== "busy" || state.phase.turnId !== fact.data.turnId) return state;
      return fact.data.by === "daemon"
        ? { ...state, restarts: (state.restarts ?? 0) + 1 }
        : { ...state, resumes: (state.resumes ?? 0) + 1 };
    case "context.composed@1":
      return withContext(state, { composed: event.id });
    case "context.compacted@1":
      return withContext(state, { keptFrom: fact.data.keptFrom ?? event.id, compacted: event.id });
    case "quota.reached@1": {
      const { turnId, until, onReset, nextTurnId } = fact.data;
      return { ...state, quota: { turnId, until, onReset, nextTurnId } };
    }
    case "quota.reset@1":
      return withoutQuota(state);
    case "driver.switched@1":
      if (state.spec === null) return state;
      return { ...state, spec: { ...state.spec, ...fact.data }, driver: NEW_DRIVER };
    default:
      return null;
  }
}

/**
 * What a turn's start and end do to steering and limits. A person who rewinds the session or gives it to another agent has
 * decided how it goes on: nothing continues by itself then.
 */
export function evolveTurnEdge(state: SessionState, fact: Fact): SessionState {
  switch (fact.type) {
    case "turn.started@1":
    case "session.rewound@1":
    case "driver.switched@1":
      return state.quota === undefined || state.quota.onReset === "resume" ? state : withoutQuota(state);
    case "turn.ended@1": {
      const { stopAsked: _over, ...ended } = withoutResumes(withSteers(state, () => false));
      return ended.quota?.onReset === "resume" && ended.quota.turnId === fact.data.turnId ? withoutQuota(ended) : ended;
    }
    default:
      return state;
  }
}

function withSteers(state: SessionState, isKept: (steer: { readonly steerId: string }) => boolean): SessionState {
  const { steers, ...rest } = state;
  const kept = (steers ?? []).filter(isKept);
  return kept.length === 0 ? rest : { ...rest, steers: kept };
}

function withoutResumes({ resumes: _over, restarts: _past, ...state }: SessionState): SessionState {
  return state;
}

function withContext(state: SessionState, change: NonNullable<SessionState["view"]["context"]>): SessionState {
  return { ...state, view: { ...state.view, context: { ...state.view.context, ...change } } };
}

function withoutQuota({ quota: _over, ...state }: SessionState): SessionState {
  return state;
}

function added(a: Spent | undefined, b: Spent): Spent {
  if (a === undefined) return b;
  const cost =
    a.costMicroUsd === null && b.costMicroUsd === null ? null : (a.costMicroUsd ?? 0) + (b.costMicroUsd ?? 0);
  const [input, output] = [a.input + b.input, a.output + b.output];
  const [cacheRead, cacheWrite] = [a.cacheRead + b.cacheRead, a.cacheWrite + b.cacheWrite];
  return { input, output, cacheRead, cacheWrite, costMicroUsd: cost };
}

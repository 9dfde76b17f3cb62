import {
  type Decision,
  defineAggregate,
  defineList,
  event,
  type FactOf,
  factsOf,
  type Placed,
  putRow,
  streamOf,
} from "../../kernel/index.ts";
import { evolveLease, LEASE_EVENTS, type LeaseState } from "./lease.ts";
import { type Compared, LOG_EVENTS } from "./log-events.ts";
import { POLICY_EVENTS, POLICY_LIMITS } from "./policy.ts";
import { SCAN_EVENTS } from "./scan-events.ts";
import { evolveWorkspaces, NO_WORKSPACES, WORKSPACE_EVENTS, WORKSPACE_LIMITS, type Workspaces } from "./workspaces.ts";

export const SYSTEM_EVENTS = {
  ...LEASE_EVENTS,
  ...WORKSPACE_EVENTS,
  ...LOG_EVENTS,
  ...SCAN_EVENTS,
  ...POLICY_EVENTS,
  "agent.defaulted@1": event<{ readonly slug: string }>({ spaceNeed: "start" }),
};

export const systemFact = factsOf(SYSTEM_EVENTS);

export interface SystemState {
  readonly version: number;
  readonly lease: LeaseState;
  readonly defaultAgent: string | null;
  /** Absent until one was added, and in folds of versions without workspaces. */
  readonly workspaces?: Workspaces;
  /** The hash of the gate's rules. Absent as long as the default ones were never changed. */
  readonly policyHash?: string;
  /** Absent as long as no restore has asked an anchor. */
  readonly compared?: LastComparison;
}

/** What the anchors knew when this log was last restored. */
export interface LastComparison {
  readonly at: string;
  readonly size: number;
  /** How many events an anchor remembers, where that is more than were restored. */
  readonly newerSize: number | null;
  readonly isContradicted: boolean;
  readonly unreachable: number;
}

export const NEW_SYSTEM: SystemState = {
  version: 0,
  lease: { at: "free", version: 0, lastFence: 0 },
  defaultAgent: null,
};

function evolveSystem(state: SystemState, event: Placed<FactOf<typeof SYSTEM_EVENTS>>): SystemState {
  const { fact: given, version, at } = event;
  const next = { ...state, version, lease: evolveLease(state.lease, event) };
  switch (given?.type) {
    case "workspace.added@1":
    case "workspace.removed@1":
    case "workspace.used@1":
      return { ...next, workspaces: evolveWorkspaces(state.workspaces ?? NO_WORKSPACES, given, at) };
    case "policy.changed@1":
      return { ...next, policyHash: given.data.hash };
    case "log.compared@1":
      return { ...next, compared: lastComparison(given.data, at) };
    case "agent.defaulted@1":
      return { ...next, defaultAgent: given.data.slug };
    default:
      return next;
  }
}

function lastComparison({ size, answers }: Compared, at: string): LastComparison {
  const newer = answers.flatMap((answer) => (answer.verdict === "newer" && answer.size !== null ? [answer.size] : []));
  return {
    at,
    size,
    newerSize: newer.length === 0 ? null : Math.max(...newer),
    isContradicted: answers.some(({ verdict }) => verdict === "contradicts"),
    unreachable: answers.filter(({ verdict }) => verdict === "unreachable").length,
  };
}

export function defaultAgent(slug: string): Decision {
  return [systemFact("agent.defaulted@1", { slug })];
}

export const SYSTEM = defineList<SystemState>()({ name: "system", table: "system", isHot: true });

/** The home itself: who writes its log, where work is done, which rules hold, what was done with the log. */
export const System = defineAggregate({
  kind: "system",
  isSingle: true,
  events: SYSTEM_EVENTS,
  lists: [SYSTEM],
  limits: { ...WORKSPACE_LIMITS, ...POLICY_LIMITS },
  empty: () => NEW_SYSTEM,
  evolve: evolveSystem,
  ownRows: (state) => [putRow(SYSTEM, SYSTEM_STREAM, state)],
});

export const SYSTEM_STREAM = streamOf({ kind: "system", isSingle: true }, "");

import {
  type Decision,
  defineAggregate,
  defineList,
  event,
  type FactOf,
  factsOf,
  type Placed,
  putRow,
  refuse,
  type Transition,
  transition,
} from "../../kernel/index.ts";
import type { ToolPolicy } from "../gate/gate.ts";

export const AGENT_EVENTS = {
  "agent.created@1": event<{
    readonly slug: string;
    readonly name: string;
    readonly driver: string;
    readonly tools: { readonly [tool: string]: ToolPolicy };
    readonly builtIn: boolean;
    /** Agents that its sessions may start. Absent: none. */
    readonly delegatesTo?: readonly string[];
  }>({ spaceNeed: "start", exact: true }),
  "agent.deleted@1": event<Record<string, never>>(),
};

const fact = factsOf(AGENT_EVENTS);

/** A durable identity: its driver, and what its tools may do without asking. */
export type AgentState =
  | { readonly at: "absent"; readonly version: number }
  | { readonly at: "present"; readonly version: number; readonly agent: Agent }
  | { readonly at: "deleted"; readonly version: number };

export interface Agent {
  readonly slug: string;
  readonly name: string;
  readonly driver: string;
  readonly tools: { readonly [tool: string]: ToolPolicy };
  readonly builtIn: boolean;
  readonly delegatesTo?: readonly string[];
  readonly createdAt: string;
}

export const AGENT_TRANSITIONS: readonly Transition<"agent.created@1" | "agent.deleted@1", AgentState["at"]>[] = [
  { on: "agent.created@1", from: ["absent", "deleted"], to: "present" },
  { on: "agent.deleted@1", from: ["present"], to: "deleted" },
];

export const NEW_AGENT: AgentState = { at: "absent", version: 0 };

function evolveAgent(state: AgentState, event: Placed<FactOf<typeof AGENT_EVENTS>>): AgentState {
  const { fact: given, version } = event;
  const off = given === null || transition(AGENT_TRANSITIONS, state.at, given.type) === null;
  if (off) return { ...state, version };
  if (given.type === "agent.created@1")
    return { at: "present", version, agent: { ...given.data, createdAt: event.at } };
  return { at: "deleted", version };
}

/** A deleted slug can be used again. */
export function createAgent(state: AgentState, input: Omit<Agent, "createdAt">): Decision {
  return state.at === "present" ? refuse("agent_exists", { slug: input.slug }) : [fact("agent.created@1", input)];
}

/** A driver's built-in agent exists as long as the driver does. */
export function deleteAgent(state: AgentState, slug: string, hasDriver = true): Decision {
  if (state.at !== "present") return refuse("agent_not_found", { slug });
  if (state.agent.builtIn && hasDriver)
    return refuse("agent_in_use", { slug, because: "it comes with an installed driver" });
  return [fact("agent.deleted@1", {})];
}

export const AGENTS = defineList<AgentState>()({ name: "agent", table: "agents" });

export const AgentIdentity = defineAggregate({
  kind: "agent",
  events: AGENT_EVENTS,
  lists: [AGENTS],
  empty: () => NEW_AGENT,
  evolve: evolveAgent,
  ownRows: (state, slug) => [putRow(AGENTS, slug, state)],
});

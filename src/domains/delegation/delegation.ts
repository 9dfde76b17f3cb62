import { type Decision, fact, isEnded, type Refusal, refuse, type SessionState } from "../../kernel/index.ts";

/** What a session that wants to start another one stands on: all of it known to the daemon, none of it told by the caller. */
export interface Delegator {
  /** The agents that it may start: what it was born with, as far as its agent still has it. Empty: nobody. */
  readonly delegates: readonly string[];
  readonly depth: number;
  /** Of its own, and alive right now. */
  readonly children: number;
}

export interface DelegationLimits {
  readonly depthMax: number;
  readonly childrenMax: number;
}

/** The agent that is wished for, after it was looked up; null when there is none by that name, or none was named. */
export interface WishedAgent {
  readonly slug: string;
  readonly driver: string;
}

/**
 * The one predicate of delegation: asked before a spawn, and by whoever wants to know what may be spawned. Null: it may.
 * The list is closed and deny is the default; nothing that the caller says about itself counts.
 */
export function refuseDelegation(
  { delegates, depth, children }: Delegator,
  agent: WishedAgent | null,
  adapter: string,
  { depthMax, childrenMax }: DelegationLimits,
): Refusal | null {
  if (agent === null || !delegates.includes(agent.slug))
    return refuse("delegation_denied", { agent: agent?.slug ?? null, delegates });
  if (agent.driver !== adapter)
    return refuse("delegation_denied", { agent: agent.slug, driver: agent.driver, adapter });
  if (depth + 1 > depthMax) return refuse("max_depth_exceeded", { depth: depth + 1, max: depthMax });
  if (children >= childrenMax) return refuse("child_quota_exceeded", { children, max: childrenMax });
  return null;
}

/** What a session may start: as its agent says, and never more than whoever started it may. */
export function narrowDelegates(agent: readonly string[], parent: readonly string[] | null): readonly string[] {
  const once = [...new Set(agent)];
  return parent === null ? once : once.filter((slug) => parent.includes(slug));
}

/** Stands in the parent's stream, in the same append as the child's first event: two at once cannot both take the last place. */
export function recordDelegation(
  state: SessionState,
  input: { readonly childId: string; readonly agent: string; readonly ended: readonly string[] },
): Decision {
  if (isEnded(state)) return refuse("session_ended", { id: state.id, state: state.phase.at });
  return [fact("session.delegated@1", input)];
}

/**
 * The slug that a reference to an agent means, in any of its spellings: `reviewer`, `agent:reviewer`,
 * `ws://agents/reviewer`, `aip://42/reviewer@1.0.0`. Null for what refers to no agent of this home.
 */
export function agentSlugIn(reference: string): string | null {
  const [, slug] =
    /^(?:agent:|ws:\/\/agents\/|aip:\/\/42\/)?([a-z0-9][a-z0-9-]{0,63})(?:@[\w.+-]{1,32})?$/.exec(reference) ?? [];
  return slug ?? null;
}

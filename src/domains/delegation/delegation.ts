import { type Decision, fact, isEnded, type Refusal, refuse, type SessionState } from "../../kernel/index.ts";

/** What the daemon knows of a session that wants to start another one. Nothing here comes from the caller. */
export interface Delegator {
  /** Agents it may start: those it was born with that its agent still lists. Empty: none. */
  readonly delegates: readonly string[];
  readonly depth: number;
  /** Number of its own children that are alive. */
  readonly children: number;
}

export interface DelegationLimits {
  readonly depthMax: number;
  readonly childrenMax: number;
}

/** The requested agent, looked up; null when it does not exist or none was named. */
export interface WishedAgent {
  readonly slug: string;
  readonly driver: string;
}

/**
 * Decides whether a session may start another one, for a spawn and for listing what may be spawned. Null: allowed. The
 * list is closed and the default is deny; nothing the caller says about itself counts.
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

/** The agents a session may start: its agent's, narrowed to those of the session that started it. */
export function narrowDelegates(agent: readonly string[], parent: readonly string[] | null): readonly string[] {
  const once = [...new Set(agent)];
  return parent === null ? once : once.filter((slug) => parent.includes(slug));
}

/**
 * Written to the parent's stream in the append of the child's first event: two spawns cannot both take the last place.
 */
export function recordDelegation(
  state: SessionState,
  input: { readonly childId: string; readonly agent: string; readonly ended: readonly string[] },
): Decision {
  if (isEnded(state)) return refuse("session_ended", { id: state.id, state: state.phase.at });
  return [fact("session.delegated@1", input)];
}

/**
 * The slug of an agent reference in any spelling: `reviewer`, `agent:reviewer`, `ws://agents/reviewer`,
 * `aip://42/reviewer@1.0.0`. Null when it refers to no agent of this home.
 */
export function agentSlugIn(reference: string): string | null {
  const [, slug] =
    /^(?:agent:|ws:\/\/agents\/|aip:\/\/42\/)?([a-z0-9][a-z0-9-]{0,63})(?:@[\w.+-]{1,32})?$/.exec(reference) ?? [];
  return slug ?? null;
}

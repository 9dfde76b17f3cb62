import { type By, knownSession, type Seen, subjectOf } from "../../commit/index.ts";
import { NomosError, refusalError } from "../../contract/index.ts";
import {
  type Agent,
  agentSlugIn,
  type DelegationLimits,
  type Delegator,
  narrowDelegates,
  recordDelegation,
  refuseDelegation,
} from "../../domains/index.ts";
import { type Refusal, SESSIONS, Session, type SessionRow, type SessionState } from "../../kernel/index.ts";
import type { RecordedEvent } from "../../store/index.ts";
import type { Agents } from "../registry/agents.ts";
import { beginning, type Opening, type OpeningDeps } from "./open-session.ts";
import { makeSpec } from "./session-spec.ts";

/** Sessions that start sessions. The caller is identified by its token; permission is checked before anything is created. */
export interface Delegation {
  readonly spawn: (parentId: string, input: Opening, by: By) => Promise<readonly RecordedEvent[]>;
  /** For every agent: whether a spawn would be allowed. Uses the same check as `spawn`. */
  readonly outlook: (id: string) => Promise<Outlook>;
  /** Whether a session is a descendant of another, at any depth. */
  readonly isBelow: (ancestor: string, id: string) => Promise<boolean>;
  /** Refuses a call on a descendant whose agent may no longer be delegated to. */
  readonly requireDelegate: (ancestor: string, id: string) => Promise<void>;
  /** All descendants that the folds still list. */
  readonly below: (id: string) => Promise<readonly string[]>;
}

export interface Outlook {
  readonly id: string;
  readonly ground: string;
  readonly delegates: readonly string[];
  readonly depth: number;
  readonly depthMax: number;
  readonly children: number;
  readonly childrenMax: number;
  readonly agents: readonly {
    readonly slug: string;
    readonly driver: string;
    readonly allowed: boolean;
    readonly code: string | null;
  }[];
}

export interface DelegationDeps extends Omit<OpeningDeps, "trees"> {
  readonly agents: Pick<Agents, "find" | "list">;
  readonly limits: () => DelegationLimits;
}

/** Higher than any depth limit that can be configured. */
const STEPS_UP_MAX = 64;
const BELOW_MAX = 500;

export function createDelegation(deps: DelegationDeps): Delegation {
  const { store, committer, agents, newId } = deps;

  const rowOf = (id: string): Promise<SessionRow | null> => store.row(SESSIONS, id);
  const ended = async (ids: readonly string[]): Promise<readonly string[]> => {
    const rows = await Promise.all(ids.map(async (id) => ({ id, row: await rowOf(id) })));
    return rows.flatMap(({ id, row }) => (row === null || row.endedAt !== null || row.forgotten ? [id] : []));
  };
  /** The delegates it was given at birth, without those since removed from its agent. */
  const delegatesOf = async (state: SessionState): Promise<readonly string[]> => {
    const agent = await agents.find(state.spec?.agent ?? "");
    return narrowDelegates(state.spec?.delegates ?? [], agent?.delegatesTo ?? []);
  };
  const standing = async (state: SessionState): Promise<Delegator & { readonly ended: readonly string[] }> => {
    const children = state.children ?? [];
    const over = await ended(children);
    const delegates = await delegatesOf(state);
    return { delegates, depth: state.spec?.depth ?? 0, children: children.length - over.length, ended: over };
  };
  const agentIn = async (reference: string | undefined): Promise<Agent | null> => {
    if (reference === undefined) return null;
    const slug = agentSlugIn(reference);
    const agent = slug === null ? null : await agents.find(slug);
    if (agent === null) throw new NomosError("invalid_agent", { agent: reference });
    return agent;
  };
  const isBelow: Delegation["isBelow"] = async (ancestor, id) => {
    let at = (await rowOf(id))?.parentSessionId ?? null;
    for (let steps = 0; at !== null && steps < STEPS_UP_MAX; steps += 1) {
      if (at === ancestor) return true;
      at = (await rowOf(at))?.parentSessionId ?? null;
    }
    return false;
  };

  return {
    isBelow,
    spawn: (parentId, input, by) =>
      deps.bounds.forOpening(async () => {
        refuseOwnPlace(input);
        const agent = await agentIn(input.agent);
        const judged = async (state: SessionState) => {
          const from = await standing(state);
          return { from, refused: refuseDelegation(from, agent, input.adapter, deps.limits()) };
        };
        const parent = await committer.sessionState(parentId);
        const { refused } = await judged(parent);
        if (refused !== null || agent === null || parent.spec === null) throw refusedAs(refused, parentId);
        // Slow work is done first, so that the parent's stream is not blocked by it.
        const wanted = { ...input, agent: agent.slug };
        const spec = await makeSpec(wanted, deps.specs, { id: parentId, spec: parent.spec });
        const id = newId();
        const begin = await beginning(deps, id, wanted);
        let endedChildren: readonly string[] = [];
        // The parent's permission and the child's first events are committed together. The child's events come first.
        const child = async (state: SessionState, seen: Seen) => {
          const { from, refused: now } = await judged(seen(knownSession(parentId)));
          if (now !== null) return now;
          endedChildren = from.ended;
          return begin(state, { ...spec, delegates: narrowDelegates(agent.delegatesTo ?? [], from.delegates) });
        };
        const delegating = (state: SessionState) =>
          recordDelegation(state, { childId: id, agent: agent.slug, ended: endedChildren });
        const { events } = await committer.commit(
          [
            { of: subjectOf(Session, id), decide: child },
            { of: knownSession(parentId), decide: delegating },
          ],
          { by },
        );
        deps.runner.pump(id);
        return events;
      }),
    outlook: async (id) => {
      const state = await committer.sessionState(id);
      const { ended: _over, ...from } = await standing(state);
      const { depthMax, childrenMax } = deps.limits();
      const judged = (await agents.list()).map(({ slug, driver }) => {
        const refused = refuseDelegation(from, { slug, driver }, driver, deps.limits());
        return { slug, driver, allowed: refused === null, code: refused?.refused ?? null };
      });
      return { id, ground: state.spec?.ground ?? "", ...from, depthMax, childrenMax, agents: judged };
    },
    requireDelegate: async (ancestor, id) => {
      const [state, row] = [await committer.sessionState(ancestor), await rowOf(id)];
      const delegates = await delegatesOf(state);
      if (row === null || !delegates.includes(row.agent))
        throw new NomosError("delegation_denied", { agent: row?.agent ?? null, delegates: [...delegates] });
    },
    below: async (id) => {
      const found: string[] = [];
      for (let look: readonly string[] = [id]; look.length > 0 && found.length < BELOW_MAX; ) {
        const states = await Promise.all(look.map((one) => committer.sessionState(one).catch(() => null)));
        look = states.flatMap((state) =>
          state === null ? [] : [...(state.pastChildren ?? []), ...(state.children ?? [])],
        );
        found.push(...look);
      }
      return found.slice(0, BELOW_MAX);
    },
  };
}

/**
 * A session cannot choose a directory or a program for its child, only a place below its own. Nor can it choose the settings
 * of the child's agent, because those decide how often the agent asks a person.
 */
function refuseOwnPlace({ cwd, workspaceSlug, file, worktree, scope, base, settings = {} }: Opening): void {
  const given = Object.entries({ cwd, workspaceSlug, file, worktree, scope, base, ...settings }).find(
    ([, value]) => value !== undefined,
  );
  if (given !== undefined)
    throw new NomosError("invalid_request", {
      field: given[0],
      reason: "a session that starts another must name an agent; its `ground` must be below its own, or left out",
    });
}

function refusedAs(refused: Refusal | null, id: string): NomosError {
  return refused === null ? new NomosError("session_not_found", { id }) : refusalError(refused);
}

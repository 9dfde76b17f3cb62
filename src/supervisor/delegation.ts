import { NomosError } from "../contract/index.ts";
import {
  type Agent,
  admitTurn,
  agentSlugIn,
  type DelegationLimits,
  type Delegator,
  isRefusal,
  LIMITS,
  narrowDelegates,
  newSessionState,
  openSession,
  type RefusalCode,
  recordDelegation,
  refuseDelegation,
  type SessionRow,
  type SessionState,
} from "../kernel/index.ts";
import type { RecordedEvent, Store } from "../store/index.ts";
import type { Agents } from "./agents.ts";
import type { Bounds } from "./bounds.ts";
import type { By, Committer } from "./committer.ts";
import { makeSpec, type OpenInput, type SpecSources } from "./spec.ts";
import { storeText } from "./texts.ts";
import type { TurnRunner } from "./turn-runner.ts";

/** Sessions that start sessions. Who asks is known by its token alone; what it may is decided before anything exists. */
export interface Delegation {
  readonly spawn: (
    parentId: string,
    input: OpenInput & { readonly prompt?: string | undefined },
    by: By,
  ) => Promise<readonly RecordedEvent[]>;
  /** What a spawn would be answered with, for every agent there is: by the same predicate. */
  readonly outlook: (id: string) => Promise<Outlook>;
  /** Whether one session stands below another, at any depth. */
  readonly isBelow: (ancestor: string, id: string) => Promise<boolean>;
  /** Refuses what is done to a session below when its agent is no longer one that may be delegated to. */
  readonly requireDelegate: (ancestor: string, id: string) => Promise<void>;
  /** All that it started and that they started, as far as their folds remember. */
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
    readonly code: RefusalCode | null;
  }[];
}

export interface DelegationDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly agents: Pick<Agents, "find" | "list">;
  readonly runner: Pick<TurnRunner, "pump">;
  readonly specs: SpecSources;
  readonly bounds: Pick<Bounds, "forOpening">;
  readonly newId: () => string;
  readonly limits: () => DelegationLimits;
}

/** Deeper than any limit that may be set. */
const STEPS_UP_MAX = 64;
const BELOW_MAX = 500;

export function createDelegation(deps: DelegationDeps): Delegation {
  const { store, committer, agents, newId } = deps;

  const rowOf = async (id: string): Promise<SessionRow | null> => {
    const row = await store.row("session", id);
    return row === null ? null : JSON.parse(row);
  };
  const ended = async (ids: readonly string[]): Promise<readonly string[]> => {
    const rows = await Promise.all(ids.map(async (id) => ({ id, row: await rowOf(id) })));
    return rows.flatMap(({ id, row }) => (row === null || row.endedAt !== null || row.forgotten ? [id] : []));
  };
  /** What it was born with, less what has been taken from its agent since. */
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
  const firstTurn = async (id: string, text: string) => {
    const prompt = await storeText(committer.keeper(id, "start"), text, LIMITS.promptInlineBytes);
    return admitTurn(newSessionState(id), { turnId: newId(), prompt, queue: false });
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
    spawn: async (parentId, input, by) => {
      refuseOwnPlace(input);
      const agent = await agentIn(input.agent);
      const id = newId();
      const decide = async (state: SessionState) => {
        const from = await standing(state);
        const refused = refuseDelegation(from, agent, input.adapter, deps.limits());
        if (refused !== null || agent === null || state.spec === null)
          return { parent: refused ?? [], child: refused ?? [] };
        const delegates = narrowDelegates(agent.delegatesTo ?? [], from.delegates);
        const wanted = { ...input, agent: agent.slug, delegates };
        const spec = await makeSpec(wanted, deps.specs, { id: parentId, spec: state.spec });
        const opened = openSession(newSessionState(id), { spec, label: input.label ?? null });
        const admitted = input.prompt === undefined ? [] : await firstTurn(id, input.prompt);
        const child = isRefusal(opened) || isRefusal(admitted) ? opened : [...opened, ...admitted];
        return { child, parent: recordDelegation(state, { childId: id, agent: agent.slug, ended: from.ended }) };
      };
      const events = await deps.bounds.forOpening(() => committer.beget(parentId, id, decide, by));
      deps.runner.pump(id);
      return events;
    },
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

/** A session gets no directory and no program of its own choosing: only a place below the one that it has. */
function refuseOwnPlace({ cwd, workspaceSlug, file }: OpenInput): void {
  const given = Object.entries({ cwd, workspaceSlug, file }).find(([, value]) => value !== undefined);
  if (given !== undefined)
    throw new NomosError("invalid_request", {
      field: given[0],
      reason: "a session that starts another one names a `ground` below its own, or nothing",
    });
}

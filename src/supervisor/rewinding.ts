import { NomosError, toNomosError } from "../contract/index.ts";
import {
  beginRestore,
  finishRewind,
  isEnded,
  noteWorld,
  type Point,
  rewindSession,
  rollBackRestore,
  type SessionState,
  type View,
} from "../kernel/index.ts";
import type { RecordedEvent, Store } from "../store/index.ts";
import type { By, Committer } from "./committer.ts";
import { findPoint, viewAt } from "./lineage.ts";
import { type ScopeKeeper, withReverted } from "./scope-keeper.ts";
import type { Worlds } from "./worlds.ts";

type Events = Promise<readonly RecordedEvent[]>;

export interface RewindInput {
  readonly to: string;
  /** Also over files that somebody else changed since. */
  readonly force?: boolean | undefined;
  /** The files stay as they are. */
  readonly talkOnly?: boolean | undefined;
}

export interface Rewinding {
  readonly rewind: (id: string, input: RewindInput, by: By) => Events;
  /** After a crash: a restore that was cut is taken back, so that files and talk are both what they were. */
  readonly settle: (state: SessionState) => Promise<boolean>;
  readonly snapshot: (id: string, by: By) => Events;
  /** After a crash: keeps what a turn that was cut left behind, as far as its scope goes. */
  readonly keepCut: (id: string) => Promise<void>;
}

export interface RewindingDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly worlds: Worlds;
  readonly scopes: Pick<ScopeKeeper, "end">;
  readonly newId: () => string;
  /** Resolves when no process of the session is left, nor an agent that its driver keeps for it. */
  readonly quiet: (id: string) => Promise<void>;
  readonly log: (message: string, details: object) => void;
}

const DAEMON: By = { actor: "daemon" };
const CHANGES_SHOWN = 200;

export function createRewinding(deps: RewindingDeps): Rewinding {
  const { store, committer, worlds } = deps;

  const commit = async (id: string, decide: Parameters<Committer["session"]>[1], by: By): Events =>
    (await committer.session(id, decide, by)).events;

  /** What is there now, kept; refused where somebody else changed it since the session's last boundary. */
  const keepNow = async (state: SessionState, force: boolean) => {
    const last = state.view.world?.snapshot ?? null;
    const taken = await worlds.take(state);
    if (taken.id === last) return { id: taken.id, facts: [] };
    if (last !== null && !force) {
      const { changes, more } = await worlds.changes(last, taken.id, CHANGES_SHOWN);
      const files = changes.map(({ path, what }) => `${what} ${path}`);
      if (files.length > 0) throw new NomosError("files_changed", { id: state.id, files, more });
    }
    return { id: taken.id, facts: [await worlds.takenFact(taken, "rewind", null, last)] };
  };

  const rewindAll = async (state: SessionState, point: Point, view: View, to: string, force: boolean, by: By) => {
    const { id, spec } = state;
    if (spec === null) throw new NomosError("session_not_found", { id });
    const now = await keepNow(state, force);
    if (now.id === to) {
      if (now.facts.length > 0) await commit(id, (state_) => noteWorld(state_, now.facts), { ...by, call: null });
      return commit(id, (state_) => rewindSession(state_, point, view), by);
    }
    worlds.requireRestore();
    await commit(id, (state_) => beginRestore(state_, { from: now.id, to, kept: now.facts }), { ...by, call: null });
    const { changed, notRestored } = await worlds.restore(state, to).catch(async (thrown: unknown) => {
      await rollBack(state, now.id, toNomosError(thrown).message);
      throw thrown;
    });
    const restored = { changed, notRestored: notRestored.slice(0, CHANGES_SHOWN) };
    return commit(id, (state_) => finishRewind(state_, point, view, restored), by);
  };

  const rollBack = async (state: SessionState, from: string, reason: string): Promise<boolean> => {
    const { id } = state;
    try {
      await worlds.restore(state, from);
    } catch (thrown) {
      const { code, details } = toNomosError(thrown);
      deps.log("files lie between two snapshots", { id, from, code, details });
      return false;
    }
    await commit(id, (now) => rollBackRestore(now, reason), DAEMON);
    return true;
  };

  return {
    rewind: async (id, { to, force = false, talkOnly = false }, by) => {
      const state = await committer.sessionState(id);
      const point = await findPoint(store, state, to);
      const view = await viewAt(store, state, point);
      const target = talkOnly ? null : await snapshotFor(store, state, view);
      if (target === null) return commit(id, (now) => rewindSession(now, point, view), by);
      // Refused before anything is stopped for it.
      const refusal = rewindSession(state, point, view);
      if ("refused" in refusal) throw new NomosError(refusal.refused, refusal.details);
      await deps.quiet(id);
      return rewindAll(await committer.sessionState(id), point, view, target, force, by);
    },
    settle: async (state) => {
      if (state.restoring === undefined || state.spec === null) return true;
      return rollBack(state, state.restoring.from, "the daemon ended while it was under way");
    },
    keepCut: async (id) => {
      try {
        const state = await committer.sessionState(id);
        const turnId = state.recentTurns.at(-1)?.turnId ?? null;
        const reverted = turnId === null ? null : await deps.scopes.end(state);
        const facts = await worlds.look(state, "turn_end", turnId);
        const approvalId = deps.newId();
        const decide = (now: SessionState) =>
          isEnded(now) ? [] : withReverted(now, turnId ?? "", approvalId, reverted, noteWorld(now, facts));
        if (facts.length > 0 || reverted !== null) await commit(id, decide, DAEMON);
      } catch (thrown) {
        deps.log("the files of a turn that was cut are not kept", { id, reason: String(thrown) });
      }
    },
    snapshot: async (id, by) => {
      const state = await committer.sessionState(id);
      const turnId = state.phase.at === "busy" ? state.phase.turnId : null;
      const taken = await worlds.take(state, turnId === null ? undefined : "turn");
      const last = state.view.world?.snapshot ?? null;
      if (taken.id === last) return [];
      const noted = await worlds.takenFact(taken, "asked", turnId, last);
      return commit(id, (now) => noteWorld(now, [noted]), by);
    },
  };
}

/**
 * The snapshot that a point of the session's history stands for: the last one before it; for a point before the first,
 * the first, because nothing of ours had changed the files until then. Null when no turn of it ever ran.
 */
export async function snapshotFor(store: Store, state: SessionState, view: View): Promise<string | null> {
  if (view.world?.snapshot != null) return view.world.snapshot;
  if (view.world?.skipped != null) throw new NomosError("files_not_kept", { id: state.id, reason: view.world.skipped });
  const { events } = await store.readStream(state.stream, { limit: 1, types: ["snapshot.taken"] });
  const data = events[0]?.data;
  if (typeof data === "object" && data !== null && "snapshot" in data) return String(data["snapshot"]);
  if (state.view.world?.skipped != null)
    throw new NomosError("files_not_kept", { id: state.id, reason: state.view.world.skipped });
  return null;
}

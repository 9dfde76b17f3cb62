import type { By, Committer } from "../../commit/index.ts";
import { NomosError, refusalError, toNomosError } from "../../contract/index.ts";
import type { Clock } from "../../host/index.ts";
import {
  beginRestore,
  dataIn,
  type Fact,
  finishRewind,
  recordFiles,
  rewindSession,
  rollBackRestore,
  SESSION_EVENTS,
  type SessionState,
  type View,
} from "../../kernel/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";
import { fitting } from "../files/fit-in-event.ts";
import { LISTED, planUndo, restoredFiles, type Target } from "../files/rewind-plan.ts";
import { NOTHING_JUDGED, type ScopeJudge, withReverted } from "../files/scope-judge.ts";
import type { SessionFiles } from "../files/session-files.ts";
import { withOthers } from "../files/working-times.ts";
import { isPassing, TRY_AGAIN_MS } from "../turns/turn-end.ts";
import { filesAtEnd } from "../turns/turn-files.ts";
import { type SummaryOrder, withSummary } from "./branch-summary.ts";
import { viewAt } from "./lineage.ts";
import { pointNamed } from "./point-labels.ts";

type Events = Promise<readonly RecordedEvent[]>;

export interface RewindInput {
  /** An event id or a label. */
  readonly to: string;
  /** Also overwrite files that both the session and others changed. */
  readonly force?: boolean | undefined;
  /** Leave the files unchanged. */
  readonly talkOnly?: boolean | undefined;
  /** Let the session's agent summarise the branch that is left, in a turn after the rewind. */
  readonly summary?: Pick<SummaryOrder, "focus"> | undefined;
}

export interface Rewinding {
  readonly rewind: (id: string, input: RewindInput, by: By) => Events;
  /** After a crash: rolls back an interrupted restore, so that files and history match again. */
  readonly settle: (state: SessionState) => Promise<boolean>;
  readonly snapshot: (id: string, by: By) => Events;
  /** After a crash: takes a snapshot of what an interrupted turn changed within its scope. */
  readonly keepCut: (id: string) => Promise<void>;
}

export interface RewindingDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly sessionFiles: SessionFiles;
  /** When the previous daemon ended; null when unknown. */
  readonly diedAtMs: number | null;
  /** Whether the effect ledger shows everything that turns of this driver do. */
  readonly actsByEffects: (adapter: string) => boolean;
  readonly scopes: Pick<ScopeJudge, "end">;
  readonly newId: () => string;
  /** Resolves when the session has no process left, and its driver keeps no agent for it. */
  readonly quiet: (id: string) => Promise<void>;
  readonly log: (message: string, details: object) => void;
}

const DAEMON: By = { actor: "daemon" };

interface How {
  readonly force: boolean;
  readonly order: SummaryOrder | null;
}

export function createRewinding(deps: RewindingDeps): Rewinding {
  const { store, committer, sessionFiles } = deps;
  /** Sessions whose interrupted turn is being examined. Until that is done, the author of its changes is unknown. */
  const cut = new Map<string, Promise<void>>();

  const commit = async (id: string, decide: Parameters<Committer["session"]>[1], by: By): Events =>
    (await committer.session(id, decide, by)).events;
  const rewindAll = async (state: SessionState, target: Target, { force, order }: How, by: By) => {
    const { id } = state;
    const { point, view, to } = target;
    const kept = await keepNow(sessionFiles, state);
    if (kept.id === to) {
      if (kept.facts.length > 0) await commit(id, (now) => recordFiles(now, kept.facts), { ...by, call: null });
      return commit(id, (now) => withSummary(rewindSession(now, point, view), now, order), by);
    }
    const { keep, told } = await planUndo(deps, state, target, kept.id, force);
    sessionFiles.requireRestore();
    const begun = { from: kept.id, to, kept: kept.facts };
    await commit(id, (now) => beginRestore(now, begun), { ...by, call: null });
    try {
      const done = await sessionFiles.restore(state, to, { base: kept.id, keep });
      const others = [...told, ...done.leftAlone];
      const left = others.length === 0 ? null : await sessionFiles.take(state);
      const isLeft = left !== null && left.id !== to;
      const restored = {
        changed: done.changed,
        notRestored: fitting(done.notRestored, LISTED).listed,
        files: restoredFiles(done, others),
        left: isLeft ? [await sessionFiles.takenFact(left, "restored", null, kept.id)] : [],
      };
      return await commit(id, (now) => withSummary(finishRewind(now, point, view, restored), now, order), by);
    } catch (thrown) {
      await rollBack(state, { from: kept.id, to }, toNomosError(thrown).message);
      throw thrown;
    }
  };

  /** Reverts only what the restore changed: others may have worked since. */
  const rollBack = async (state: SessionState, { from, to }: { from: string; to: string }, reason: string) => {
    const { id } = state;
    try {
      // The rewind may have been recorded although the append reported an error. Then its files are right.
      if ((await committer.sessionState(id)).restoring === undefined) return true;
      await sessionFiles.restore(state, from, { base: to });
      await commit(id, (now) => rollBackRestore(now, reason), DAEMON);
      return true;
    } catch (thrown) {
      const { code, details } = toNomosError(thrown);
      deps.log("a failed rewind could not be rolled back: the files match neither snapshot", {
        id,
        from,
        code,
        details,
      });
      if (isPassing(thrown)) deps.clock.after(TRY_AGAIN_MS, () => void rollBack(state, { from, to }, reason));
      return false;
    }
  };

  const keepCut = async (id: string): Promise<void> => {
    try {
      const state = await committer.sessionState(id);
      const turnId = state.recentTurns.at(-1)?.turnId ?? null;
      const { reverted, diff, before, settled } = turnId === null ? NOTHING_JUDGED : await deps.scopes.end(state);
      const looked = await filesAtEnd(sessionFiles, state, turnId, before);
      const facts = await namedSinceDeath(deps, state, looked);
      const approvalId = deps.newId();
      const decide = (now: SessionState) =>
        withReverted(now, turnId ?? "", approvalId, reverted, recordFiles(now, facts), diff);
      if (facts.length > 0 || reverted !== null) await commit(id, decide, DAEMON);
      await settled();
    } catch (thrown) {
      deps.log("no snapshot of an interrupted turn could be taken", { id, reason: String(thrown) });
    }
  };

  return {
    rewind: async (id, { to, force = false, talkOnly = false, summary }, by) => {
      await cut.get(id);
      const state = await committer.sessionState(id);
      const point = await pointNamed(store, state, to);
      const order = summary === undefined ? null : { ...summary, turnId: deps.newId() };
      const view = await viewAt(store, state, point);
      const target = talkOnly ? null : await snapshotFor(store, state, view);
      if (target === null) return commit(id, (now) => withSummary(rewindSession(now, point, view), now, order), by);
      // Refuse before anything is stopped.
      const refusal = rewindSession(state, point, view);
      if ("refused" in refusal) throw refusalError(refusal);
      await deps.quiet(id);
      return rewindAll(await committer.sessionState(id), { point, view, to: target }, { force, order }, by);
    },
    settle: async (state) => {
      if (state.restoring === undefined || state.spec === null) return true;
      return rollBack(state, state.restoring, "the daemon ended while it was under way");
    },
    keepCut: (id) => {
      const work = keepCut(id).finally(() => cut.delete(id));
      cut.set(id, work);
      return work;
    },
    snapshot: async (id, by) => {
      // The files of a turn that a crash cut are recorded as its own first, not as somebody else's.
      await cut.get(id);
      const facts = await askedSnapshot(sessionFiles, await committer.sessionState(id));
      return facts.length === 0 ? [] : commit(id, (now) => recordFiles(now, facts), by);
    },
  };
}

/** What is there now, kept: whatever the rewind does can be undone. */
async function keepNow(sessionFiles: Pick<SessionFiles, "take" | "takenFact">, state: SessionState) {
  const last = state.view.world?.snapshot ?? null;
  const taken = await sessionFiles.take(state);
  const facts = taken.id === last ? [] : [await sessionFiles.takenFact(taken, "rewind", null, last)];
  return { id: taken.id, facts };
}

/** Nothing when the files are as they were last seen. */
async function askedSnapshot(
  sessionFiles: Pick<SessionFiles, "take" | "takenFact">,
  state: SessionState,
): Promise<readonly Fact[]> {
  const turnId = state.phase.at === "busy" ? state.phase.turnId : null;
  const taken = await sessionFiles.take(state, turnId === null ? undefined : "turn");
  const last = state.view.world?.snapshot ?? null;
  return taken.id === last ? [] : [await sessionFiles.takenFact(taken, "asked", turnId, last)];
}

/**
 * The snapshot at a point of the session's history: the last one before it. For a point before the first snapshot it is the
 * first, because the session had changed no files until then. Null when no turn ever ran.
 */
export async function snapshotFor(store: Store, state: SessionState, view: View): Promise<string | null> {
  if (view.world?.snapshot != null) return view.world.snapshot;
  if (view.world?.skipped != null) throw new NomosError("files_not_kept", { id: state.id, reason: view.world.skipped });
  const { events } = await store.readStream(state.stream, { limit: 1, types: ["snapshot.taken"] });
  const first = dataIn(SESSION_EVENTS, events, "snapshot.taken@1");
  if (first !== null) return first.snapshot;
  if (state.view.world?.skipped != null)
    throw new NomosError("files_not_kept", { id: state.id, reason: state.view.world.skipped });
  return null;
}

/** The interrupted turn's processes ended with the daemon, so later changes are others'. */
async function namedSinceDeath(
  { store, sessionFiles, diedAtMs }: Pick<RewindingDeps, "store" | "sessionFiles" | "diedAtMs">,
  state: SessionState,
  facts: readonly Fact[],
): Promise<readonly Fact[]> {
  const from = state.view.world?.snapshot ?? null;
  const turnId = state.recentTurns.at(-1)?.turnId ?? "";
  const { events } = await store.readStream(state.stream, { turnId, types: ["turn.started"], limit: 1 });
  const startedMs = Date.parse(events[0]?.at ?? "");
  // An older time comes from an earlier daemon: the last one died without recording its end.
  if (diedAtMs === null || from === null || !(diedAtMs >= startedMs)) return facts;
  return Promise.all(facts.map((one) => withOthers(sessionFiles, state, from, [{ fromMs: 0, toMs: diedAtMs }], one)));
}

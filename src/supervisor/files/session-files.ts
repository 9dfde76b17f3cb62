import { mkdir } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { NomosError, toNomosError } from "../../contract/index.ts";
import {
  type FileDiff,
  hasSetId,
  isInside,
  type Restored,
  type RestoreLimits,
  removeTree,
  type Snapshots,
  stripSetId,
  type Taken,
  type TreeChange,
  type TreeSpec,
} from "../../host/index.ts";
import { type Fact, fact, type SessionState, type SnapshotOccasion } from "../../kernel/index.ts";
import { fitting } from "./fit-in-event.ts";

/** The files of sessions, as they were at the boundaries of their turns. */
export interface SessionFiles {
  /**
   * What is to be recorded about a session's files: a snapshot where they differ from the last one, once why there is
   * none, or nothing. Never throws for what is the tree's fault: a turn goes on without.
   */
  readonly look: (state: SessionState, occasion: SnapshotOccasion, turnId: string | null) => Promise<readonly Fact[]>;
  /** The files as they are now, also while a turn is at work on them. Throws when they cannot be kept. */
  readonly take: (state: SessionState, during?: "turn") => Promise<Taken>;
  /** Any directory as it is now. Throws when it cannot be kept. */
  readonly keep: (root: string) => Promise<Taken>;
  /** Undoes just these changes, each only while the file is still what `base` says. */
  readonly putBack: (root: string, to: string, base: string, changes: readonly TreeChange[]) => Promise<Restored>;
  /** Throws where no files can be restored at all. */
  readonly requireRestore: () => void;
  readonly restore: (state: SessionState, to: string, limits: RestoreLimits) => Promise<Restored>;
  /** Names that differ and were last changed outside of these times. Null: too many to tell. */
  readonly changedOutside: (
    state: SessionState,
    from: string,
    to: string,
    times: readonly Span[],
  ) => Promise<readonly string[] | null>;
  /** The directory that is kept for a session: its whole worktree, or where it works. */
  readonly rootOf: (state: SessionState) => string;
  /** Names that differ, at most so many. */
  readonly changes: (from: string | null, to: string, max: number) => ReturnType<Snapshots["changes"]>;
  readonly diff: (from: string | null, to: string) => Promise<readonly FileDiff[]>;
  /** A new directory of its own for a session, filled from a snapshot. */
  readonly grow: (sessionId: string, snapshot: string) => Promise<string>;
  /** Into a worktree that was just made, whose git dir stays its own. */
  readonly fill: (tree: string, snapshot: string) => Promise<void>;
  /** Removes a directory that was grown for a session that did not come to be. */
  readonly fell: (root: string) => Promise<void>;
  readonly takenFact: (
    taken: Taken,
    occasion: SnapshotOccasion,
    turnId: string | null,
    before: string | null,
  ) => Promise<Fact>;
}

/** Both ends in milliseconds of the machine's clock. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface WorldLimits {
  readonly filesMax: number;
  readonly bytesMax: number;
  readonly leaveOut: readonly string[];
  /** Of a session with all its forks, the log included. */
  readonly sessionBytes: number;
}

export interface WorldsDeps {
  readonly snapshots: Snapshots;
  readonly home: string;
  /** The person's own; null when nobody knows. */
  readonly userHome: string | null;
  readonly limits: () => WorldLimits;
  /** What room is left is the log's. */
  readonly isTight: () => boolean;
  /** Whether a process that we started lives in this directory, around it or below. */
  readonly livesAt: (root: string) => boolean;
  readonly nowMs: () => number;
  readonly log: (message: string, details: object) => void;
}

/** The system writes a mapped page back after 35 s at most; whoever writes it then sets a new change time. */
const WRITTEN_BACK_MS = 60_000;

const CHANGES_COUNTED = 10_000;
const TIMES_MAX = 10_000;
/** The file system's clock lags behind the machine's by a tick. */
const TICK_MS = 20;
const LISTED = { count: 20, bytes: 32_768 };
const DIFF = { filesMax: 500, bytesMax: 1_048_576 };

export function createSessionFiles(deps: WorldsDeps): SessionFiles {
  const { snapshots, home, userHome, limits, isTight, log } = deps;
  const treeOf = (root: string, hasAgent = false): TreeSpec => {
    const { filesMax, bytesMax, leaveOut } = limits();
    const quietSinceMs = deps.nowMs() - (hasAgent || deps.livesAt(root) ? WRITTEN_BACK_MS : 0);
    return { root, leaveOut, hidden: [home], filesMax, bytesMax, quietSinceMs };
  };

  const keepTree = async (tree: TreeSpec): Promise<Taken> => {
    if (isTight()) throw new NomosError("disk_low");
    return snapshots.take(tree);
  };

  const take: SessionFiles["take"] = async (state, during) => {
    const { spec, snapshotBytes = 0 } = state;
    if (spec === null) throw new Error("a session without a spec has no files");
    refuseBroad(spec.cwd, userHome);
    const max = limits().sessionBytes;
    if (snapshotBytes > max)
      throw new NomosError("quota_exceeded", { scope: "session", used: snapshotBytes, limit: max, needed: 0 });
    const tree = treeOf(rootOf(home, state), spec.external != null);
    // What is read now may be written on in the same mapping until the turn ends.
    return keepTree(during === "turn" ? { ...tree, quietSinceMs: 0 } : tree);
  };

  const takenFact: SessionFiles["takenFact"] = async (taken, occasion, turnId, before) => {
    const { id, files, directories, bytes, storedBytes, leftOut, leftOutCount, special, unsettled, tookMs } = taken;
    const changed = before === null ? null : (await snapshots.changes(before, id, CHANGES_COUNTED)).changes.length;
    return fact("snapshot.taken@1", {
      ...{ turnId, occasion, snapshot: id, files, directories, bytes, storedBytes, changed, tookMs },
      leftOut: { count: leftOutCount, first: fitting(leftOut, LISTED).listed },
      special: fitting(special, LISTED).listed,
      unsettled: fitting(unsettled, LISTED).listed,
    });
  };

  /** A program that runs as its owner is a way out of walls for whoever is outside of them: it becomes a plain file. */
  const harmless = async (state: SessionState, before: string | null, taken: Taken): Promise<Taken> => {
    if (state.spec?.sandbox !== "strict" || before === null || taken.id === before) return taken;
    const root = rootOf(home, state);
    const changed = await snapshots.times(treeOf(root), before, taken.id, TIMES_MAX);
    const names = changed.filter(({ mode }) => hasSetId(mode)).map(({ name }) => name);
    if (names.length === 0) return taken;
    log("removed set-id bits", { id: state.id, files: await stripSetId(root, names) });
    return take(state);
  };

  /** Nobody has worked there yet. */
  const fell = async (root: string): Promise<void> => void (await removeTree(root));

  return {
    take,
    keep: async (root) => keepTree(treeOf(root)),
    putBack: (root, to, base, changes) =>
      snapshots.restore(treeOf(root), to, { base, only: changes.map(({ name }) => name) }),
    takenFact,
    look: async (state, occasion, turnId) => {
      const last = state.view.world;
      try {
        const before = last?.snapshot ?? null;
        const taken = await harmless(state, before, await take(state));
        if (taken.id === before) return [];
        return [await takenFact(taken, occasion, turnId, before).catch(() => takenFact(taken, occasion, turnId, null))];
      } catch (thrown) {
        const { code, message, details } = toNomosError(thrown);
        if (code === "internal") log("a snapshot failed", { id: state.id, reason: String(details["reason"]) });
        if (last?.skipped === code) return [];
        const reason = `${message} ${JSON.stringify(details)}`.slice(0, REASON_CHARS);
        return [fact("snapshot.skipped@1", { turnId, code, reason })];
      }
    },
    requireRestore: snapshots.requireRestore,
    restore: (state, to, limits_) => snapshots.restore(treeOf(rootOf(home, state)), to, limits_),
    rootOf: (state) => rootOf(home, state),
    changedOutside: async (state, from, to, times) => {
      const found = await snapshots.times(treeOf(rootOf(home, state)), from, to, TIMES_MAX);
      const isInSpan = (ms: number) => times.some(({ fromMs, toMs }) => ms >= fromMs - TICK_MS && ms <= toMs + TICK_MS);
      const outside = found.filter(({ ctimeMs }) => !isInSpan(ctimeMs)).map(({ name }) => name);
      return found.length < TIMES_MAX ? outside : null;
    },
    changes: snapshots.changes,
    diff: (from, to) => snapshots.diff(from, to, DIFF),
    grow: async (sessionId, snapshot) => {
      const root = join(home, FORKS, sessionId);
      await mkdir(dirname(root), { recursive: true, mode: 0o700 });
      try {
        await snapshots.grow(treeOf(root), snapshot);
      } catch (thrown) {
        await fell(root);
        throw thrown;
      }
      return root;
    },
    fill: async (tree, snapshot) => {
      const spec = treeOf(tree);
      await snapshots.restore({ ...spec, leaveOut: [...spec.leaveOut, "/.git"] }, snapshot);
    },
    fell,
  };
}

/** Below the home: the directories of forks that no worktree was made for. */
export const FORKS = "forks";

/** All of a session's own tree, where it has one; it may work in a part of it. */
function rootOf(home: string, { spec, worktree }: SessionState): string {
  if (spec === null) throw new Error("a session without a spec has no files");
  return worktree == null ? spec.cwd : join(home, "worktrees", worktree, "tree");
}

const REASON_CHARS = 500;

/** A whole machine, or everything that a person has, is not what a session works on. */
function refuseBroad(cwd: string, userHome: string | null): void {
  const isTop = cwd.split(sep).filter(Boolean).length < 2;
  if (isTop || (userHome !== null && isInside(cwd, userHome))) throw new NomosError("tree_too_broad", { cwd });
}

import { mkdir } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { NomosError, toNomosError } from "../../contract/index.ts";
import {
  type FileDiff,
  hasSetId,
  isInside,
  type OnBytes,
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

/** Snapshots of sessions' files at the start and end of their turns. */
export interface SessionFiles {
  /**
   * The facts to record about a session's files: a snapshot if they changed, the reason why there is none (once), or
   * nothing. Never throws for a problem with the files: the turn goes on without a snapshot.
   */
  readonly look: (
    state: SessionState,
    occasion: SnapshotOccasion,
    turnId: string | null,
    onBytes?: OnBytes,
  ) => Promise<readonly Fact[]>;
  /** A snapshot of the files now, also during a turn. Throws when it cannot be stored. */
  readonly take: (state: SessionState, during?: "turn", onBytes?: OnBytes) => Promise<Taken>;
  /** A snapshot of any directory. Throws when it cannot be stored. */
  readonly keep: (root: string) => Promise<Taken>;
  /** Undoes only these changes, and only in files that still match `base`. */
  readonly putBack: (root: string, to: string, base: string, changes: readonly TreeChange[]) => Promise<Restored>;
  /** Throws where restoring files is not supported. */
  readonly requireRestore: () => void;
  readonly restore: (state: SessionState, to: string, limits: RestoreLimits) => Promise<Restored>;
  /** Names that differ and were last changed outside these times. Null: too many to compare. */
  readonly changedOutside: (
    state: SessionState,
    from: string,
    to: string,
    times: readonly Span[],
  ) => Promise<readonly string[] | null>;
  /** The directory that a session's snapshots cover: its whole worktree, or its cwd. */
  readonly rootOf: (state: SessionState) => string;
  /** Names that differ, at most `max`. */
  readonly changes: (from: string | null, to: string, max: number) => ReturnType<Snapshots["changes"]>;
  readonly diff: (from: string | null, to: string, binary: boolean) => Promise<readonly FileDiff[]>;
  /** Creates a directory for a fork and fills it from a snapshot of its parent. */
  readonly grow: (sessionId: string, snapshot: string, parent: SessionState, onBytes?: OnBytes) => Promise<string>;
  /** Fills a fork's new worktree from a snapshot of its parent. The worktree keeps its own git dir. */
  readonly fill: (tree: string, snapshot: string, parent: SessionState, onBytes?: OnBytes) => Promise<void>;
  /** Removes a directory made by `grow` when its session was not created. */
  readonly fell: (root: string) => Promise<void>;
  readonly takenFact: (
    taken: Taken,
    occasion: SnapshotOccasion,
    turnId: string | null,
    before: string | null,
  ) => Promise<Fact>;
}

/** Start and end in milliseconds of the machine's clock. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface WorldLimits {
  readonly filesMax: number;
  readonly bytesMax: number;
  readonly leaveOut: readonly string[];
  /** Limit for a session with all its forks, including their part of the log. */
  readonly sessionBytes: number;
}

export interface WorldsDeps {
  readonly snapshots: Snapshots;
  readonly home: string;
  /** The person's home directory; null when unknown. */
  readonly userHome: string | null;
  readonly limits: () => WorldLimits;
  /** True when the free space is reserved for the log. */
  readonly isTight: () => boolean;
  /** Whether a process that we started runs in this directory, in a parent or below. */
  readonly livesAt: (root: string) => boolean;
  readonly nowMs: () => number;
  readonly log: (message: string, details: object) => void;
}

/** Linux writes a mapped page back within 35 s, and a later write sets a new change time. */
const WRITTEN_BACK_MS = 60_000;

const CHANGES_COUNTED = 10_000;
const TIMES_MAX = 10_000;
/** The file system's clock lags behind the machine's by up to one tick. */
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

  const keepTree = async (tree: TreeSpec, onBytes?: OnBytes): Promise<Taken> => {
    if (isTight()) throw new NomosError("disk_low");
    return snapshots.take(tree, onBytes);
  };

  const take: SessionFiles["take"] = async (state, during, onBytes) => {
    const { spec, snapshotBytes = 0 } = state;
    if (spec === null) throw new Error("a session without a spec has no files");
    refuseBroad(spec.cwd, userHome);
    const max = limits().sessionBytes;
    if (snapshotBytes > max)
      throw new NomosError("quota_exceeded", { scope: "session", used: snapshotBytes, limit: max, needed: 0 });
    const tree = treeOf(rootOf(home, state), spec.external != null);
    // A process may still write through an open mapping until the turn ends, so no file counts as quiet.
    return keepTree(during === "turn" ? { ...tree, quietSinceMs: 0 } : tree, onBytes);
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

  /**
   * Removes setuid bits from a strict session's files: run outside the walls, such a program would give its owner's rights.
   */
  const harmless = async (state: SessionState, before: string | null, taken: Taken): Promise<Taken> => {
    if (state.spec?.sandbox !== "strict" || before === null || taken.id === before) return taken;
    const root = rootOf(home, state);
    const changed = await snapshots.times(treeOf(root), before, taken.id, TIMES_MAX);
    const names = changed.filter(({ mode }) => hasSetId(mode)).map(({ name }) => name);
    if (names.length === 0) return taken;
    log("removed set-id bits", { id: state.id, files: await stripSetId(root, names) });
    return take(state);
  };

  /** No check for work: nobody has worked there yet. */
  const fell = async (root: string): Promise<void> => void (await removeTree(root));

  return {
    take,
    keep: async (root) => keepTree(treeOf(root)),
    putBack: (root, to, base, changes) =>
      snapshots.restore(treeOf(root), to, { base, only: changes.map(({ name }) => name) }),
    takenFact,
    look: async (state, occasion, turnId, onBytes) => {
      const last = state.view.world;
      try {
        const before = last?.snapshot ?? null;
        const taken = await harmless(state, before, await take(state, undefined, onBytes));
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
    diff: (from, to, binary) => snapshots.diff(from, to, { ...DIFF, binary }),
    grow: async (sessionId, snapshot, parent, onBytes) => {
      const root = join(home, FORKS, sessionId);
      await mkdir(dirname(root), { recursive: true, mode: 0o700 });
      try {
        await snapshots.grow(treeOf(root), snapshot, { from: rootOf(home, parent) }, onBytes);
      } catch (thrown) {
        await fell(root);
        throw thrown;
      }
      return root;
    },
    fill: async (tree, snapshot, parent, onBytes) => {
      const spec = treeOf(tree);
      const from = rootOf(home, parent);
      await snapshots.restore({ ...spec, leaveOut: [...spec.leaveOut, "/.git"] }, snapshot, { from }, onBytes);
    },
    fell,
  };
}

/** Folder in the home for directories of forks without a worktree. */
export const FORKS = "forks";

/** The whole worktree of a session that has one, even if it works in a subdirectory. */
function rootOf(home: string, { spec, worktree }: SessionState): string {
  if (spec === null) throw new Error("a session without a spec has no files");
  return worktree == null ? spec.cwd : join(home, "worktrees", worktree, "tree");
}

const REASON_CHARS = 500;

/** Refuses the root directory, top-level directories and the person's home: too large for a snapshot. */
function refuseBroad(cwd: string, userHome: string | null): void {
  const isTop = cwd.split(sep).filter(Boolean).length < 2;
  if (isTop || (userHome !== null && isInside(cwd, userHome))) throw new NomosError("tree_too_broad", { cwd });
}

import type { Committer } from "../../commit/index.ts";
import { NomosError } from "../../contract/index.ts";
import type { Restored, TreeChange } from "../../host/index.ts";
import type { Point, RestoredFiles, SessionState, View } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";
import { fitting } from "./fit-in-event.ts";
import type { SessionFiles } from "./session-files.ts";
import { undoNames } from "./undo-names.ts";
import { TOP } from "./unreadable-changes.ts";
import { CHANGES_MAX, everChanged, type WhoseChanges, whoseChanges } from "./whose-changes.ts";

/** The target of a rewind: a point of the session's history, the view there, and its snapshot. */
export interface Target {
  readonly point: Point;
  readonly view: View;
  readonly to: string;
}

export interface UndoPlan {
  /** Names that the restore must not touch. */
  readonly keep: readonly string[];
  /** The same names as shown to people. */
  readonly told: readonly string[];
}

export const LISTED = { count: 200, bytes: 65_536 };

/**
 * Which differences to the target are undone: those that the session made. Changes of others stay. When both changed a name,
 * the rewind is refused and lists those names, unless it is forced.
 */
export async function planUndo(
  deps: {
    readonly store: Store;
    readonly committer: Committer;
    readonly sessionFiles: SessionFiles;
    readonly actsByEffects: (adapter: string) => boolean;
  },
  state: SessionState,
  { point, to }: Target,
  now: string,
  force: boolean,
): Promise<UndoPlan> {
  const { changes, more, isTopChanged } = await deps.sessionFiles.changes(to, now, CHANGES_MAX);
  if (more) throw new NomosError("tree_too_large", { root: deps.sessionFiles.rootOf(state), changes: CHANGES_MAX });
  const all = isTopChanged ? [TOP, ...changes] : changes;
  const sources = { ...deps, sessionState: deps.committer.sessionState };
  const whose = await whoseChanges(sources, state, { snapshot: to, point }, now);
  const ever = force ? await everChanged(sources, state) : new Set<string>();
  const undone = undoNames(all, (change) => isUndone(change, whose, ever));
  const disputed = force ? [] : all.filter((change) => isDisputed(change, whose, undone));
  if (disputed.length > 0) {
    const files = fitting(disputed.map(spelled), LISTED);
    throw new NomosError("files_of_others", { id: state.id, files: [...files.listed], more: files.more });
  }
  const staying = all.filter(({ name }) => !undone.has(name));
  return { keep: staying.map(({ name }) => name), told: [...new Set(staying.map(({ path }) => path))] };
}

/** `ever`: names that the session changed at any time. Only a forced rewind undoes changes of others to them. */
function isUndone({ name }: TreeChange, { own, others }: WhoseChanges, ever: ReadonlySet<string>): boolean {
  return ever.has(name) || (own.has(name) && !others.has(name));
}

/**
 * Changed by both, or changed by others and in the way of a file to restore. Directories that were created or removed are
 * never disputed: only an empty directory is removed.
 */
function isDisputed(
  { name, what, isDirectory }: TreeChange,
  { own, others }: WhoseChanges,
  undone: ReadonlySet<string>,
): boolean {
  if (isDirectory && what !== "mode") return false;
  return others.has(name) && (own.has(name) || undone.has(name));
}

function spelled({ what, path }: TreeChange): string {
  return `${what} ${path}`;
}

/** The names that were restored, removed and kept, as the event records them. */
export function restoredFiles(done: Restored, others: readonly string[]): RestoredFiles {
  const [restored, removed, kept] = [done.restored, done.removed, others].map((names) => fitting(names, LISTED));
  const more = (restored?.more ?? 0) + (removed?.more ?? 0) + (kept?.more ?? 0);
  return { restored: restored?.listed ?? [], removed: removed?.listed ?? [], kept: kept?.listed ?? [], more };
}

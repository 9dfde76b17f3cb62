import type { By, Committer } from "../../commit/index.ts";
import { NomosError } from "../../contract/index.ts";
import { beginCall, recordApplied, System } from "../../domains/index.ts";
import type { Applied, Worktrees } from "../../host/index.ts";
import { SESSIONS, Session } from "../../kernel/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";
import { fitting } from "./fit-in-event.ts";
import type { ShownTree } from "./remove-worktree.ts";

export interface TreeApplication {
  readonly applied: Applied;
  /** None for a trial, and when there was nothing to do. */
  readonly events: readonly RecordedEvent[];
}

export interface ApplyDeps {
  readonly store: Pick<Store, "row">;
  readonly committer: Pick<Committer, "change">;
  readonly worktrees: Pick<Worktrees, "apply">;
}

const CALL = "worktree.apply";
const LISTED_MAX = { count: 1000, bytes: 100_000 };

/** The id of the worktree that a session works in, or worked in. */
export async function worktreeOf(store: Pick<Store, "fold">, sessionId: string): Promise<string> {
  const { worktree } = await store.fold(Session, sessionId);
  if (worktree == null) throw new NomosError("worktree_not_found", { id: sessionId });
  return worktree;
}

/** `by` is null for a trial. The intent is recorded before the first file changes, the files after the last one did. */
export async function applyTree(
  { store, committer, worktrees }: ApplyDeps,
  tree: ShownTree,
  sessionId: string,
  by: By | null,
): Promise<TreeApplication> {
  const { id } = tree;
  await refuseBusy(store, tree);
  if (by === null) return { applied: await worktrees.apply(id, null), events: [] };
  // The call is recorded with the end: one that a crash cut is made again, finds what was done, and does the rest.
  const { call: _call, ...caller } = by;
  const begin = async (): Promise<void> => {
    await committer.change(System, "", (state) => beginCall(state, CALL), caller);
  };
  const applied = await worktrees.apply(id, begin);
  const { conflicts, files, repository } = applied;
  if (conflicts.length > 0) {
    const { listed, more } = fitting(conflicts, LISTED_MAX);
    throw new NomosError("worktree_conflicts", { id, repository, conflicts: listed.map((one) => ({ ...one })), more });
  }
  if (files.length === 0) return { applied, events: [] };
  const { listed, more } = fitting(files, LISTED_MAX);
  const fact = { worktreeId: id, sessionId, repository, files: listed, more };
  const { events } = await committer.change(System, "", (state) => recordApplied(state, fact), by);
  return { applied, events };
}

/** Children work in their parent's worktree, so they count as well. */
export async function refuseBusy(store: Pick<Store, "row">, { sessions }: ShownTree): Promise<void> {
  for (const one of sessions)
    if ((await store.row(SESSIONS, one))?.busy === true) throw new NomosError("session_busy", { id: one });
}

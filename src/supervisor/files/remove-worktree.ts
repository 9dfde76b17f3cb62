import type { By, Committer } from "../../commit/index.ts";
import { NomosError } from "../../contract/index.ts";
import { recordUnownedRemoval, removeWorktree, System } from "../../domains/index.ts";
import type { RemovalWish, Work, Worktree, Worktrees } from "../../host/index.ts";
import { type Fact, type Json, Session, type SessionState } from "../../kernel/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";
import type { SessionFiles } from "./session-files.ts";

export interface ShownTree extends Worktree {
  /** The living sessions that work in it. */
  readonly sessions: readonly string[];
}

export interface TreeRemovalDeps {
  readonly store: Pick<Store, "fold">;
  readonly committer: Pick<Committer, "change">;
  readonly worktrees: Pick<Worktrees, "remove">;
  readonly sessionFiles: Pick<SessionFiles, "keep" | "takenFact">;
  readonly log: (message: string, details: object) => void;
}

/** The session that a worktree was made for; null when the log has no such session. */
export async function ownerIn(store: Pick<Store, "fold">, id: string): Promise<SessionState | null> {
  const state = await store.fold(Session, id);
  return state.spec === null ? null : state;
}

/** Removes a worktree that nobody works in and that holds no work. Takes a last snapshot and records the removal. */
export function createTreeRemoval(
  deps: TreeRemovalDeps,
): (tree: ShownTree, by: By, wish?: RemovalWish) => Promise<readonly RecordedEvent[]> {
  const { store, committer, worktrees, sessionFiles, log } = deps;

  const recordRemoval = async (id: string, files: readonly Fact[], by: By) =>
    (await ownerIn(store, id)) === null
      ? committer.change(System, "", (state) => recordUnownedRemoval(state, id, files), by)
      : committer.change(Session, id, (state) => removeWorktree(state, id, files), by);

  /**
   * Ignored files are no work, but they may have changed since the last turn. With this snapshot a fork can restore them.
   */
  const lastFiles = async ({ id, path, state }: ShownTree): Promise<readonly Fact[]> => {
    const owner = state === "missing" ? null : await ownerIn(store, id);
    const last = owner?.view.world?.snapshot ?? null;
    if (last === null) return [];
    try {
      const taken = await sessionFiles.keep(path);
      return taken.id === last ? [] : [await sessionFiles.takenFact(taken, "asked", null, last)];
    } catch (thrown) {
      log("the last snapshot of a worktree failed", { id, reason: String(thrown) });
      return [];
    }
  };

  return async (tree, by, wish) => {
    const { id, sessions, path, branch } = tree;
    if (sessions.length > 0) throw new NomosError("worktree_in_use", { id, sessions: [...sessions] });
    const files = await lastFiles(tree);
    const removal = await worktrees.remove(id, wish);
    if (!removal.removed && removal.heldBy.length > 0)
      throw new NomosError("worktree_in_use", { id, processes: [...removal.heldBy] });
    if (!removal.removed) throw new NomosError("worktree_has_work", { id, path, branch, ...workAsJson(removal.work) });
    try {
      // The removal is recorded now. A crash after this line leaves only files to delete.
      const { events } = await recordRemoval(id, files, by);
      await removal.finish();
      return events;
    } catch (thrown) {
      if ((await store.fold(Session, id)).worktree !== null) await removal.undo();
      throw thrown;
    }
  };
}

function workAsJson(work: Work): { readonly [kind: string]: Json } {
  const lists = Object.entries(work).filter(([, found]) => found !== null && found.length > 0);
  return Object.fromEntries(lists.map(([kind, found]) => [kind, typeof found === "string" ? found : [...found]]));
}

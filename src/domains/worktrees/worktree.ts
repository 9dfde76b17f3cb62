import { type Decision, type Fact, fact, isEnded, type Json, refuse, type SessionState } from "../../kernel/index.ts";

/** A worktree that holds work stays when its session ends. Nothing if the session no longer has that worktree. */
export function keepWorktree(
  state: SessionState,
  kept: { readonly worktreeId: string; readonly work: { readonly [kind: string]: Json } },
): Decision {
  return state.worktree === kept.worktreeId ? [fact("worktree.kept@1", kept)] : [];
}

/** `files`: the last snapshot, taken just before. Refused while the session may still work in the worktree. */
export function removeWorktree(state: SessionState, worktreeId: string, files: readonly Fact[]): Decision {
  if (state.worktree === worktreeId && !isEnded(state))
    return refuse("worktree_in_use", { id: worktreeId, sessions: [state.id] });
  return [...files, fact("worktree.removed@1", { worktreeId })];
}

import { event } from "../definitions/event.ts";
import type { Json } from "../json.ts";

export interface WorktreeRef {
  readonly worktreeId: string;
  readonly path: string;
  readonly branch: string;
}

/** Events of a session's worktree, and of changes outside its scope. */
export const WORKTREE_EVENTS = {
  "worktree.created@1": event<WorktreeRef & { readonly base: string | null; readonly repository: string }>(),
  /** A worktree kept from an earlier session. */
  "worktree.attached@1": event<WorktreeRef>(),
  /** Kept because work would be lost: the first few of each kind. */
  "worktree.kept@1": event<{ readonly worktreeId: string; readonly work: { readonly [kind: string]: Json } }>({
    erasable: true,
  }),
  "worktree.removed@1": event<{ readonly worktreeId: string }>(),
  /** Changes outside the scope that were put back, each with its rule, and how many more there were. */
  "scope.reverted@1": event<{
    readonly turnId: string;
    readonly files: readonly { readonly path: string; readonly rule: string }[];
    readonly more: number;
  }>({ erasable: true }),
};

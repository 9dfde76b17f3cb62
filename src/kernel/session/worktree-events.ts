import { event } from "../definitions/event.ts";
import type { Json } from "../json.ts";

export interface WorktreeRef {
  readonly worktreeId: string;
  readonly path: string;
  readonly branch: string;
}

/** The tree of its own that a session works in, and what its scope did not let stay. */
export const WORKTREE_EVENTS = {
  "worktree.created@1": event<WorktreeRef & { readonly base: string | null; readonly repository: string }>(),
  /** One that was kept from a session before. */
  "worktree.attached@1": event<WorktreeRef>(),
  /** Not removed: what would have been lost with it, the first few of each kind. */
  "worktree.kept@1": event<{ readonly worktreeId: string; readonly work: { readonly [kind: string]: Json } }>({
    erasable: true,
  }),
  "worktree.removed@1": event<{ readonly worktreeId: string }>(),
  /** Changed outside of the scope and put back; the rule that spoke for each, and how many more there were. */
  "scope.reverted@1": event<{
    readonly turnId: string;
    readonly files: readonly { readonly path: string; readonly rule: string }[];
    readonly more: number;
  }>({ erasable: true }),
};

import type { Json } from "./json.ts";

export interface WorktreeRef {
  readonly worktreeId: string;
  readonly path: string;
  readonly branch: string;
}

/** The tree of its own that a session works in, and what its scope did not let stay. */
export interface WorktreeEventMap {
  "worktree.created@1": WorktreeRef & { readonly base: string | null; readonly repository: string };
  /** One that was kept from a session before. */
  "worktree.attached@1": WorktreeRef;
  /** Not removed: what would have been lost with it, the first few of each kind. */
  "worktree.kept@1": { readonly worktreeId: string; readonly work: { readonly [kind: string]: Json } };
  "worktree.removed@1": { readonly worktreeId: string };
  /** Changed outside of the scope and put back; the rule that spoke for each, and how many more there were. */
  "scope.reverted@1": {
    readonly turnId: string;
    readonly files: readonly { readonly path: string; readonly rule: string }[];
    readonly more: number;
  };
}

export const WORKTREE_EVENT_TYPES = [
  ...(["worktree.created@1", "worktree.attached@1", "worktree.kept@1", "worktree.removed@1"] as const),
  "scope.reverted@1",
] as const satisfies readonly (keyof WorktreeEventMap)[];

import { join } from "node:path";
import type { Committer } from "../commit/index.ts";
import { WORKTREE_DEFAULTS } from "../contract/index.ts";
import { createWorktrees, type Trash } from "../host/index.ts";
import type { OpenedHome } from "../services/index.ts";
import {
  createScopeJudge,
  createSessionTrees,
  type ScopeJudge,
  type SessionFiles,
  type SessionTrees,
} from "../supervisor/index.ts";

/** Worktrees of sessions, in the home. */
export function openTrees(options: {
  readonly opened: OpenedHome;
  readonly committer: Committer;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly sessionFiles: SessionFiles;
  readonly discard: Trash["discard"];
}): { readonly trees: SessionTrees; readonly scopes: ScopeJudge } {
  const { opened, committer, environment, sessionFiles, discard } = options;
  const { home, config, clock, store, log } = opened;
  const worktrees = createWorktrees({
    folder: join(home, "worktrees"),
    scratch: join(home, "tmp", "git"),
    stores: join(home, "worktree-objects"),
    environment,
    discard,
    carry: () => {
      const { carry = WORKTREE_DEFAULTS.carry, carryBytesMax = WORKTREE_DEFAULTS.carryBytesMax } =
        config.show().worktree ?? {};
      return { patterns: carry, bytesMax: carryBytesMax };
    },
    borrows: () => config.show().worktree?.alternates ?? WORKTREE_DEFAULTS.alternates,
  });
  return {
    trees: createSessionTrees({ store, committer, clock, worktrees, sessionFiles, log: log.write }),
    scopes: createScopeJudge({ sessionFiles, folder: worktrees.folder, sessionState: committer.sessionState }),
  };
}

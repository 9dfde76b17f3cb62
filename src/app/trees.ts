import { join } from "node:path";
import type { Committer } from "../commit/index.ts";
import { WORKTREE_DEFAULTS } from "../contract/index.ts";
import { createWorktrees } from "../host/index.ts";
import {
  createForkFolders,
  createScopeKeeper,
  createSessionTrees,
  type ForkFolders,
  type ScopeKeeper,
  type SessionTrees,
  type Worlds,
} from "../supervisor/index.ts";
import type { OpenedHome } from "./open-home.ts";

/** Worktrees of sessions, in the home. */
export function openTrees(options: {
  readonly opened: OpenedHome;
  readonly committer: Committer;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly worlds: Worlds;
}): { readonly trees: SessionTrees; readonly scopes: ScopeKeeper; readonly forks: ForkFolders } {
  const { opened, committer, environment, worlds } = options;
  const { discard } = opened.trash;
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
    bounds: () => {
      const { filesMax = WORKTREE_DEFAULTS.filesMax, bytesMax = WORKTREE_DEFAULTS.bytesMax } =
        config.show().worktree ?? {};
      return { filesMax, bytesMax };
    },
    borrows: () => config.show().worktree?.alternates ?? WORKTREE_DEFAULTS.alternates,
  });
  return {
    trees: createSessionTrees({ store, committer, clock, worktrees, worlds, log: log.write }),
    forks: createForkFolders({ home, store, worlds, clock, discard, log: log.write }),
    scopes: createScopeKeeper({ worlds, folder: worktrees.folder, sessionState: committer.sessionState }),
  };
}

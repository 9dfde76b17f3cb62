import { join } from "node:path";
import type { Committer } from "../commit/index.ts";
import { createWorktrees } from "../host/index.ts";
import { type OpenedHome, worktreeSettings } from "../services/index.ts";
import {
  createForkFolders,
  createScopeJudge,
  createSessionTrees,
  type ForkFolders,
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
}): { readonly trees: SessionTrees; readonly scopes: ScopeJudge; readonly forks: ForkFolders } {
  const { opened, committer, environment, sessionFiles } = options;
  const { discard } = opened.trash;
  const { home, config, clock, store, log } = opened;
  const worktrees = createWorktrees({
    folder: join(home, "worktrees"),
    scratch: join(home, "tmp", "git"),
    stores: join(home, "worktree-objects"),
    environment,
    discard,
    carry: () => worktreeSettings(config).carry,
    bounds: () => worktreeSettings(config).bounds,
    borrows: () => worktreeSettings(config).alternates,
  });
  return {
    trees: createSessionTrees({ store, committer, clock, worktrees, sessionFiles, log: log.write }),
    forks: createForkFolders({ home, store, sessionFiles, clock, discard, log: log.write }),
    scopes: createScopeJudge({ sessionFiles, folder: worktrees.folder, sessionState: committer.sessionState }),
  };
}

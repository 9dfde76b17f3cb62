import { join } from "node:path";
import type { Committer } from "../commit/index.ts";
import { createWorktrees, type Snapshots } from "../host/index.ts";
import { limit, type OpenedHome, setting, worktreeSettings } from "../services/index.ts";
import {
  createForkFolders,
  createScopeJudge,
  createSessionFiles,
  createSessionTrees,
  type ForkFolders,
  type ScopeJudge,
  type SessionFiles,
  type SessionTrees,
} from "../supervisor/index.ts";
import type { SessionLaw } from "../turns/index.ts";

/** Worktrees of sessions, in the home. */
export function openTrees(options: {
  readonly opened: OpenedHome;
  readonly committer: Committer;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly sessionFiles: SessionFiles;
  readonly law: SessionLaw;
}): { readonly trees: SessionTrees; readonly scopes: ScopeJudge; readonly forks: ForkFolders } {
  const { opened, committer, environment, sessionFiles, law } = options;
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
    scopes: createScopeJudge({ sessionFiles, law, folder: worktrees.folder, sessionState: committer.sessionState }),
  };
}

/** Snapshots of sessions' files, stored in the home. */
export function openSessionFiles(options: {
  readonly opened: OpenedHome;
  readonly snapshots: Snapshots;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly isTight: () => boolean;
  readonly livesAt: (root: string) => boolean;
}): SessionFiles {
  const { opened, snapshots, environment, isTight, livesAt } = options;
  const { home, config, clock, log } = opened;
  return createSessionFiles({
    snapshots,
    home,
    userHome: environment["HOME"] ?? null,
    limits: () => ({
      filesMax: setting(config, "snapshotFilesMax"),
      bytesMax: setting(config, "snapshotBytesMax"),
      leaveOut: config.show().snapshotLeaveOut ?? [],
      sessionBytes: limit(config, "sessionBytes"),
    }),
    isTight,
    livesAt,
    nowMs: clock.nowMs,
    log: log.write,
  });
}

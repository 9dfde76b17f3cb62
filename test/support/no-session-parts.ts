import { UNBOUNDED } from "../../src/commit/index.ts";
import { NomosError } from "../../src/contract/index.ts";
import { NOTHING_JUDGED } from "../../src/supervisor/files/scope-judge.ts";
import type {
  ScopeJudge,
  SecretSources,
  SessionBounds,
  SessionFiles,
  SessionTrees,
} from "../../src/supervisor/index.ts";

/** No limit: every session may be opened and may write. */
export const NO_BOUNDS: SessionBounds = { ...UNBOUNDED, forOpening: (open) => open() };

/** No session has a worktree. */
export const NO_TREES: Pick<SessionTrees, "make" | "makeFork" | "drop" | "list" | "settle" | "sweep"> = {
  make: async () => null,
  makeFork: async () => null,
  drop: async () => undefined,
  list: async () => [],
  settle: async () => undefined,
  sweep: async () => undefined,
};

/** No session has a scope. */
export const NO_SECRETS: SecretSources = { ofSession: async () => ({}), ofDriver: async () => ({}) };

export const NO_SCOPES: ScopeJudge = {
  begin: async () => undefined,
  end: async () => NOTHING_JUDGED,
  marked: async () => [],
};

/** Sessions have no files: nothing is kept and nothing is restored. */
export const NO_SESSION_FILES: SessionFiles = {
  look: async () => [],
  take: () => Promise.reject(new NomosError("files_not_kept")),
  keep: () => Promise.reject(new NomosError("files_not_kept")),
  putBack: () => Promise.reject(new NomosError("files_not_kept")),
  requireRestore: () => undefined,
  restore: () => Promise.reject(new NomosError("files_not_kept")),
  rootOf: ({ spec }) => spec?.cwd ?? "",
  changedOutside: async () => [],
  changes: async () => ({ changes: [], more: false, unseen: [], isTopChanged: false }),
  diff: async () => [],
  grow: () => Promise.reject(new NomosError("files_not_kept")),
  fill: () => Promise.reject(new NomosError("files_not_kept")),
  fell: async () => undefined,
  takenFact: () => Promise.reject(new NomosError("files_not_kept")),
};

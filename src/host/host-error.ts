/** Every expected way the machine can refuse, with a remedy for the person. */
export type HostErrorCode =
  | "commit_refused"
  | "cwd_hidden"
  | "cwd_missing"
  | "disk_full"
  | "file_missing"
  | "file_too_large"
  | "git_failed"
  | "git_missing"
  | "home_unusable"
  | "not_a_repository"
  | "path_invalid"
  | "path_outside"
  | "process_limit"
  | "process_spec_invalid"
  | "process_unkillable"
  | "program_hidden"
  | "program_not_found"
  | "read_back_invalid"
  | "repository_bare"
  | "repository_invalid"
  | "sandbox_failed"
  | "sandbox_unavailable"
  | "spawn_failed"
  | "stdin_closed"
  | "tree_too_large"
  | "worktree_base_incomplete"
  | "worktree_base_missing"
  | "worktree_failed"
  | "worktree_missing"
  | "worktree_not_found";

export interface HostErrorFacts {
  readonly remedy: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

export class HostError extends Error {
  override readonly name = "HostError";
  readonly code: HostErrorCode;
  readonly remedy: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: HostErrorCode, message: string, facts: HostErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.remedy = facts.remedy;
    this.details = facts.details ?? {};
  }
}

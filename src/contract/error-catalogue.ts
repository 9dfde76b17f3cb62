import { AGENT_ERRORS } from "./errors/agent-errors.ts";
import { BACKUP_ERRORS } from "./errors/backup-errors.ts";
import type { ErrorEntry } from "./errors/entry.ts";
import { HOST_ERRORS } from "./errors/host-errors.ts";
import { LOG_ERRORS } from "./errors/log-errors.ts";
import { REQUEST_ERRORS } from "./errors/request-errors.ts";
import { SESSION_ERRORS } from "./errors/session-errors.ts";
import { SNAPSHOT_ERRORS } from "./errors/snapshot-errors.ts";
import { WORKTREE_ERRORS } from "./errors/worktree-errors.ts";

/** All errors. A code must be in one family only: a test checks it, because the compiler does not. */
export const ERROR_CATALOGUE = {
  ...AGENT_ERRORS,
  ...REQUEST_ERRORS,
  ...HOST_ERRORS,
  ...BACKUP_ERRORS,
  ...LOG_ERRORS,
  ...SESSION_ERRORS,
  ...SNAPSHOT_ERRORS,
  ...WORKTREE_ERRORS,
} as const satisfies { readonly [code: string]: ErrorEntry };

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

import { AGENT_ERRORS } from "./errors/agent-errors.ts";
import { BACKUP_ERRORS } from "./errors/backup-errors.ts";
import { EMBEDDING_ERRORS } from "./errors/embedding-errors.ts";
import { ENGINE_ERRORS } from "./errors/engine-errors.ts";
import type { ErrorEntry } from "./errors/entry.ts";
import { FANOUT_ERRORS } from "./errors/fanout-errors.ts";
import { GOVERNANCE_ERRORS } from "./errors/governance-errors.ts";
import { HOST_ERRORS } from "./errors/host-errors.ts";
import { LANDING_ERRORS } from "./errors/landing-errors.ts";
import { LAW_BRANCH_ERRORS } from "./errors/law-branch-errors.ts";
import { LOG_ERRORS } from "./errors/log-errors.ts";
import { REQUEST_ERRORS } from "./errors/request-errors.ts";
import { SECRET_ERRORS } from "./errors/secret-errors.ts";
import { SESSION_ERRORS } from "./errors/session-errors.ts";
import { SNAPSHOT_ERRORS } from "./errors/snapshot-errors.ts";
import { TOOL_ERRORS } from "./errors/tool-errors.ts";
import { WEB_ERRORS } from "./errors/web-errors.ts";
import { WORK_ERRORS } from "./errors/work-errors.ts";
import { WORKTREE_ERRORS } from "./errors/worktree-errors.ts";

/** All errors. A code must be in one family only: a test checks it, because the compiler does not. */
export const ERROR_CATALOGUE = {
  ...AGENT_ERRORS,
  ...REQUEST_ERRORS,
  ...FANOUT_ERRORS,
  ...GOVERNANCE_ERRORS,
  ...HOST_ERRORS,
  ...BACKUP_ERRORS,
  ...EMBEDDING_ERRORS,
  ...ENGINE_ERRORS,
  ...LANDING_ERRORS,
  ...LAW_BRANCH_ERRORS,
  ...LOG_ERRORS,
  ...SECRET_ERRORS,
  ...SESSION_ERRORS,
  ...SNAPSHOT_ERRORS,
  ...TOOL_ERRORS,
  ...WEB_ERRORS,
  ...WORK_ERRORS,
  ...WORKTREE_ERRORS,
} as const satisfies { readonly [code: string]: ErrorEntry };

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

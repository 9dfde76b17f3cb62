import { AGENT_ERRORS } from "./errors/agent-errors.ts";
import { DOOR_ERRORS } from "./errors/door-errors.ts";
import type { ErrorEntry } from "./errors/entry.ts";
import { HOST_ERRORS } from "./errors/host-errors.ts";
import { KEEPING_ERRORS } from "./errors/keeping-errors.ts";
import { LOG_ERRORS } from "./errors/log-errors.ts";
import { SESSION_ERRORS } from "./errors/session-errors.ts";
import { WORKTREE_ERRORS } from "./errors/worktree-errors.ts";
import { WORLD_ERRORS } from "./errors/world-errors.ts";

/** Every error there is. No code is in two families: the compiler would not say so, a test does. */
export const ERROR_CATALOGUE = {
  ...AGENT_ERRORS,
  ...DOOR_ERRORS,
  ...HOST_ERRORS,
  ...KEEPING_ERRORS,
  ...LOG_ERRORS,
  ...SESSION_ERRORS,
  ...WORLD_ERRORS,
  ...WORKTREE_ERRORS,
} as const satisfies { readonly [code: string]: ErrorEntry };

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

import type { Json } from "./json.ts";

/** An expected "no": a catalogued code and the facts behind it. The words and the remedy live in the error catalogue. */
export interface Refusal {
  readonly refused: RefusalCode;
  readonly details: { readonly [key: string]: Json };
}

export const REFUSAL_CODES = [
  "agent_exists",
  "agent_in_use",
  "agent_not_found",
  "already_answered",
  "approval_not_found",
  "artifact_limit",
  "child_quota_exceeded",
  "delegation_denied",
  "effect_not_open",
  "event_not_found",
  "invalid_ground",
  "invalid_option",
  "lease_held",
  "max_depth_exceeded",
  "not_erasable",
  "queue_full",
  "scope_invalid",
  "session_busy",
  "session_archived",
  "session_ended",
  "session_exists",
  "session_not_ended",
  "session_not_suspended",
  "session_suspended",
  "stale_fence",
  "todo_limit",
  "token_revoked",
  "turn_ended",
  "turn_not_found",
  "turn_not_running",
  "turn_open",
  "workspace_limit",
  "workspace_not_found",
  "workspace_reserved",
] as const;

export type RefusalCode = (typeof REFUSAL_CODES)[number];

export function refuse(code: RefusalCode, details: Refusal["details"] = {}): Refusal {
  return { refused: code, details };
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === "object" && value !== null && "refused" in value;
}

import type { Json } from "../kernel/index.ts";

export type DriverErrorCode =
  | "driver_failed"
  | "driver_file_invalid"
  | "driver_timeout"
  | EngineErrorCode
  | "tool_unknown"
  | "invalid_request"
  | "agent_crashed"
  | "agent_version"
  | "content_unsupported"
  | "limit_reached"
  | "not_acp"
  | "not_installed"
  | "setup_required"
  | "unknown_mode"
  | "unknown_model"
  | "unknown_option";

/** How a turn of the own engine can fail. */
export type EngineErrorCode =
  | "engine_failed"
  | "no_model"
  | "model_auth"
  | "model_billing"
  | "model_failed"
  | "model_refused"
  | "model_overflow"
  | "model_unreachable"
  | "circuit_open"
  | "compaction_failed"
  | "branch_summary_failed"
  | "quota_reached"
  | "steps_exceeded"
  | "turn_cut";

export class DriverError extends Error {
  readonly code: DriverErrorCode;
  /** Its message is more specific than the catalogue's, and is shown instead. */
  readonly forPeople = true;
  readonly details: { readonly [key: string]: Json };
  constructor(code: DriverErrorCode, message: string, details: { readonly [key: string]: Json } = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** The driver's process ended in mid-turn. The turn of a driver that `continues` goes on from the log. */
export class CutError extends DriverError {
  constructor(message: string) {
    super("engine_failed", message);
  }
}

/** The agent met a usage limit. The turn ends, and the session waits until the limit resets. */
export class QuotaError extends DriverError {
  readonly untilMs: number;
  constructor(message: string, untilMs: number) {
    super("quota_reached", message);
    this.untilMs = untilMs;
  }
}

/** The agent was gone, or unreachable, before it was given the prompt. */
export class HandshakeError extends DriverError {}

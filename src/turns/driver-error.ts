import type { Json } from "../kernel/index.ts";

export type DriverErrorCode =
  | "driver_failed"
  | "driver_file_invalid"
  | "driver_timeout"
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

/** The agent was gone, or unreachable, before it was given the prompt. */
export class HandshakeError extends DriverError {}

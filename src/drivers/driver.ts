import type { HostProcess } from "../host/index.ts";
import type { Continuity, Json, SessionSpec, TodoItem } from "../kernel/index.ts";

/** What runs a session's turns. Everything a driver does to the world goes through the port it is handed. */
export interface Driver {
  readonly slug: string;
  readonly summary: string;
  /** How an agent gets its memory back after its process is gone. */
  readonly continuity: Continuity;
  /** Null for an agent that somebody else drives: its turns are reported, not run. */
  readonly runTurn: ((port: TurnPort) => Promise<void>) | null;
  /** Refuses, by throwing a `DriverError`, what could never work; called before the session exists. */
  readonly check: (spec: SessionSpec) => Promise<void>;
}

/**
 * One turn, as its driver sees it. Calls after the turn's end are refused. When `signal` aborts, the driver lets go:
 * it is given a few seconds, then its processes are killed and the turn is ended without it.
 */
export interface TurnPort {
  readonly sessionId: string;
  readonly turnId: string;
  readonly spec: SessionSpec;
  readonly prompt: string;
  readonly signal: AbortSignal;
  /** Where an earlier run of this very turn stopped to ask; null for a turn that starts afresh. */
  readonly checkpoint: Json;
  /** From here the turn can go on after a restart, should it be waiting for a person then. */
  readonly reach: (checkpoint: Json) => void;
  /** A complete message; durable when it resolves. */
  readonly say: (text: string, role?: "assistant" | "thought") => Promise<void>;
  /** A piece of text on its way: shown to whoever watches, not recorded. */
  readonly stream: (text: string) => void;
  readonly run: (command: string) => Promise<EffectResult>;
  readonly write: (path: string, text: string) => Promise<EffectResult>;
  readonly read: (path: string) => Promise<string>;
  readonly sleep: (ms: number) => Promise<void>;
  readonly start: (argv: readonly string[]) => Promise<TurnProcess>;
  readonly ask: (question: string, options: readonly string[]) => Promise<Reply>;
  readonly artifact: (
    path: string,
    bytes: Uint8Array,
    mediaType: string,
  ) => Promise<{ readonly artifactId: string; readonly version: number }>;
  readonly todo: (items: readonly TodoItem[]) => Promise<void>;
  readonly event: (name: string, payload: Json) => Promise<void>;
  /** The driver's own process, in the session's directory, with nothing but the session's own token. */
  readonly host: (argv: readonly string[], env: Readonly<Record<string, string>>) => HostProcess;
}

export interface EffectResult {
  readonly effectId: string;
  readonly outcome: "done" | "failed" | "refused";
  readonly exitCode: number | null;
  /** The beginning of what it printed; the whole is in the log. */
  readonly output: string;
  readonly message: string | null;
}

/** A process that runs beside the turn and ends with it at the latest. */
export interface TurnProcess {
  readonly effectId: string;
  readonly write: (text: string) => Promise<void>;
  readonly closeInput: () => Promise<void>;
  readonly output: AsyncIterable<{ readonly stream: "stdout" | "stderr"; readonly text: string }>;
  /** Resolves once, after all output; asking again gives the same answer. */
  readonly wait: () => Promise<EffectResult>;
  readonly cancel: () => Promise<void>;
}

export type Reply =
  | { readonly approved: true; readonly option: string | null }
  | { readonly approved: false; readonly reason: string | null };

export type DriverErrorCode =
  | "driver_failed"
  | "driver_file_invalid"
  | "driver_timeout"
  | "tool_unknown"
  | "invalid_request";

export class DriverError extends Error {
  readonly code: DriverErrorCode;
  readonly details: { readonly [key: string]: Json };
  constructor(code: DriverErrorCode, message: string, details: { readonly [key: string]: Json } = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

import type { HostProcess } from "../host/index.ts";
import type {
  Attachment,
  Continuity,
  DriverFact,
  DriverSettings,
  Json,
  SessionSpec,
  TextOrBlob,
  TodoItem,
} from "../kernel/index.ts";

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
  /** Refuses settings that could never work, as far as that is known without the agent. */
  readonly checkSettings?: (settings: Partial<DriverSettings>) => void;
  /** It starts no process but through the port: the effect ledger tells all that its turns do to files. */
  readonly actsByEffects?: true;
  /** Absent for a driver that keeps nothing between turns. */
  readonly keeps?: Kept;
}

/** What a driver holds for a session between its turns: usually the agent's process, which knows what was said. */
export interface Kept {
  /** Resolves when nothing works for the session any more. What it was is found again by the next turn, from the log. */
  readonly release: (sessionId: string) => Promise<void>;
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
  /** As `say`, for text that went out by `stream` already. */
  readonly finishMessage: (text: string, role: "assistant" | "thought") => Promise<void>;
  /** A piece of text on its way: shown to whoever watches, not recorded. */
  readonly stream: (text: string) => void;
  readonly run: (command: string) => Promise<EffectResult>;
  readonly write: (path: string, text: string) => Promise<EffectResult>;
  readonly read: (path: string) => Promise<string>;
  readonly sleep: (ms: number) => Promise<void>;
  readonly start: (argv: readonly string[]) => Promise<TurnProcess>;
  readonly ask: (question: string, options: readonly string[], action?: AskedAction) => Promise<Reply>;
  /** A foreign agent asks whether it may: by the agent's tool policy, or by a person. */
  readonly permit: (wish: Wish) => Promise<Reply>;
  /** What was refused without asking anybody. */
  readonly noteDenial: (denial: AskedAction & { readonly rules: readonly string[] }) => Promise<void>;
  readonly artifact: (
    path: string,
    bytes: Uint8Array,
    mediaType: string,
  ) => Promise<{ readonly artifactId: string; readonly version: number }>;
  readonly todo: (items: readonly TodoItem[]) => Promise<void>;
  readonly event: (name: string, payload: Json) => Promise<void>;
  /** The driver's own process, in the session's directory, with nothing but the session's own token. */
  readonly host: (
    argv: readonly string[],
    env: Readonly<Record<string, string>>,
    shown?: readonly string[],
    /** What of `argv` comes from the person, and not from whoever talks to the agent: it can be read behind walls. */
    programs?: readonly string[],
  ) => HostProcess;
  readonly past: Past;
  readonly settings: DriverSettings;
  readonly attachments: readonly LoadableAttachment[];
  /** Facts of this turn; durable when it resolves, refused when the turn is over. */
  readonly record: (facts: readonly DriverFact[]) => Promise<void>;
  /** Small text as it is, large text as a blob: what facts are made of. */
  readonly keep: (text: string) => Promise<TextOrBlob>;
}

/** What the log knows of the agent's memory: how a driver finds out where to go on. */
export interface Past {
  /** The agent's own session, when it can be gone on with. */
  readonly nativeId: string | null;
  /** That of the session this one was forked from, as long as nothing has happened since on either side. */
  readonly forkOf: string | null;
  /** Whether anything was said that an agent without memory would have to be told. */
  readonly isEmpty: boolean;
  readonly digest: () => Promise<string>;
}

export interface LoadableAttachment extends Attachment {
  readonly load: () => Promise<Uint8Array>;
}

export interface AskedAction {
  readonly verb: string;
  readonly resource: string;
}

export interface Wish {
  /** What kind of thing it is about: the name that an agent's tool policy goes by. */
  readonly tool: string;
  readonly question: string;
  /** What may be answered beside a plain yes. */
  readonly options: readonly string[];
  readonly resource: string;
  /** The files that it is about, as the agent names them. */
  readonly paths?: readonly string[];
}

/** The part of the machine that a driver with processes of its own is given when it is built. */
export interface AgentHost {
  /** A process that outlives turns. Whoever starts it stops it. */
  readonly spawn: (order: AgentOrder) => HostProcess;
  /** Our own tools, for one session: address and key. The key is good until `end`. */
  readonly tools: (sessionId: string) => { readonly url: string; readonly token: string; readonly end: () => void };
}

export interface AgentOrder {
  readonly slug: string;
  /** Whose it is, for whoever looks for orphans. */
  readonly label: string;
  readonly cwd: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Where the agent is installed, when that lies in the product's own home. */
  readonly shown: readonly string[];
  /** The one session it will ever work for, where it stands behind that session's walls; null: none. */
  readonly walledFor: { readonly id: string; readonly spec: SessionSpec } | null;
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
  /** Its message says more than the catalogue's, and is shown instead. */
  readonly forPeople = true;
  readonly details: { readonly [key: string]: Json };
  constructor(code: DriverErrorCode, message: string, details: { readonly [key: string]: Json } = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** The agent was gone, or could not be talked to, before it could be given anything. */
export class HandshakeError extends DriverError {}

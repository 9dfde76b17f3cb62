import type { EffectKind, Json, RedoClass, SessionSpec } from "../kernel/index.ts";
import type { Reply } from "./questions.ts";

/**
 * A tool that the daemon runs: for the engine's model in a turn, and over MCP for a foreign agent. It is an effect like
 * any other: the gate judges each call as `tool.<kind>`, and the ledger has its intent before it runs.
 */
export interface ServedTool {
  /** Letters, digits, `_` and `-`, 64 at most: what every provider takes. */
  readonly name: string;
  /** For the model: what it does, when to use it, what its answer looks like. */
  readonly description: string;
  /** A JSON schema of an object. Whoever runs the tool checks the input. */
  readonly input: { readonly [key: string]: Json };
  readonly kind: EffectKind;
  readonly redo: RedoClass;
  /** A sequential tool never runs beside another call. */
  readonly mode: "parallel" | "sequential";
  /** What the call touches, as rules name it. */
  readonly resource: (input: Json) => string;
  /** What the call does, in full, for the person who is asked. */
  readonly shown: (input: Json) => string;
  /** A thrown error becomes an error result. It stops when the signal is aborted. */
  readonly run: (input: Json, call: ServedCall) => Promise<ServedResult>;
}

export interface ServedCall {
  readonly sessionId: string;
  readonly turnId: string;
  /** The same in every run of the turn: what is done with this key is done once. */
  readonly key: string;
  readonly spec: SessionSpec;
  readonly signal: AbortSignal;
}

export interface ServedResult {
  readonly content: readonly ServedContent[];
  readonly isError: boolean;
  /** True: the turn needs no further answer of the model. */
  readonly ends?: true;
}

export type ServedContent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly mediaType: string; readonly base64: string };

/** A room that has tools for sessions: MCP servers, the web, a person's own files. */
export interface ToolSource {
  readonly name: string;
  /** Where they are known ahead: names that clash with built-in tools fail the start. */
  readonly names?: readonly string[];
  /** Called at the start of each turn, so it must be quick. In an order that does not change from turn to turn. */
  readonly tools: (session: ToolSession) => Promise<ServedTools>;
}

export interface ToolSession {
  readonly sessionId: string;
  readonly spec: SessionSpec;
  /** Asks a person, durably. Null outside of a turn. */
  readonly ask: ((question: string, options: readonly string[]) => Promise<Reply>) | null;
}

export interface ServedTools {
  readonly tools: readonly ServedTool[];
  /** What cannot be offered now, and why, in a sentence each. */
  readonly problems: readonly string[];
}

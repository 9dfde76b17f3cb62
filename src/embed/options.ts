import type { Json } from "../client/index.ts";

/** How `createNomos` opens Nomos: on a home of its own, in this process, or as a client of a daemon. */
export interface NomosOptions {
  /** The directory of the log. Default: `$NOMOS_HOME`, else `~/.nomos`. */
  readonly home?: string;
  /** The model of sessions that name none: `NAME/MODEL`. `demo/script` needs no key. */
  readonly model?: string;
  /** Functions of this program that the model may call. */
  readonly tools?: readonly Tool[];
  /**
   * Asked about each thing that a turn wants to do, beside the rules of the home. It can only narrow: `deny` beats `ask`,
   * `ask` beats `allow`. A policy that throws denies.
   */
  readonly policy?: (request: PolicyRequest) => PolicyVerdict;
  /** Answers questions that would wait for a person. One that throws rejects. */
  readonly approve?: (question: Question) => PolicyAnswer | Promise<PolicyAnswer>;
  /** Model providers by name: settings as in `models.providers` of the configuration, or a function that answers. */
  readonly providers?: { readonly [name: string]: ProviderOptions | ProgramModel };
  /** Stands over the home's `config.json`, and is not written to it. */
  readonly config?: { readonly [key: string]: unknown };
  /** A port on loopback for the dashboard, the command line and foreign agents; `true`: any free one. Default: none. */
  readonly listen?: boolean | number;
  /** Use a running daemon and start nothing: that of the home, or the one at this address. */
  readonly daemon?: true | string;
  /** For `daemon`. Default: `$NOMOS_TOKEN`, else the operator's token in the home. */
  readonly token?: string;
  /** Told when the log can no longer be written. Default: calls fail from then on. */
  readonly onLost?: (reason: Error) => void;
}

export interface Tool {
  /** Letters, digits, `_` and `-`, 64 at most. */
  readonly name: string;
  /** For the model: what it does, when to use it, what its answer looks like. */
  readonly description: string;
  /** A JSON schema of an object; default: no input. */
  readonly input?: { readonly [key: string]: Json };
  /** Text is answered as it is, anything else as JSON. A thrown error is told to the model. */
  readonly run: (input: ToolInput, call: ToolCall) => unknown;
  /** What the call touches, as rules name it. Default: `call/NAME`. */
  readonly resource?: (input: ToolInput) => string;
  /** May run beside other calls. Default: one at a time. */
  readonly isParallel?: boolean;
  /** May be run again when the program died in the middle of it. Default: the turn is told that the outcome is unknown. */
  readonly isSafe?: boolean;
  /** Default: two minutes. */
  readonly timeoutMs?: number;
}

export type ToolInput = { readonly [key: string]: Json };

export interface ToolCall {
  readonly sessionId: string;
  readonly turnId: string;
  /** The same when a turn goes on after a crash: what is done with this key is done once. */
  readonly key: string;
  /** The session's directory. */
  readonly cwd: string;
  readonly signal: AbortSignal;
}

export interface PolicyRequest {
  readonly sessionId: string;
  /** `tool.write`, `tool.run`, `agent.edit` */
  readonly verb: string;
  /** `path/src/a.ts`, `command/git status`, `call/weather`. A search asks about all files: `path/**`. */
  readonly resource: string;
}

export type PolicyVerdict = "allow" | "deny" | "ask";

/** An option of the question, a plain yes or no, or no with a reason. */
export type PolicyAnswer = "approve" | "reject" | { readonly option: string } | { readonly reject: string };

export interface Question {
  readonly id: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly question: string;
  readonly options: readonly string[];
  /** What the gate asks to allow; null where the agent asks of its own accord. */
  readonly action: { readonly verb: string; readonly resource: string } | null;
  /** The whole command, the file, and its change as a unified diff. */
  readonly detail: { readonly command?: string; readonly path?: string; readonly diff?: string };
}

/** As `models.providers.NAME` of the configuration. */
export interface ProviderOptions {
  /** `openai-chat`, `anthropic`, `google`, ... */
  readonly api: string;
  readonly baseUrl?: string;
  readonly key?: { readonly env: string } | { readonly file: string };
  readonly headers?: { readonly [name: string]: string };
  readonly options?: { readonly [name: string]: Json };
  readonly models?: { readonly [model: string]: { readonly [setting: string]: Json } };
}

/** Answers as a model: with text, or piece by piece. */
export type ProgramModel = (
  request: ModelRequest,
) => string | Promise<string> | AsyncIterable<ModelPiece> | Iterable<ModelPiece>;

export interface ModelRequest {
  /** The name behind the slash. */
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly input: { readonly [key: string]: Json };
  }[];
  /** A JSON schema that the answer has to fit; null for text. */
  readonly schema: Json;
  readonly signal: AbortSignal;
}

export interface ModelMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly text: string;
  /** Of an assistant: what it called. */
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: string }[];
  /** Of a tool: which call it answers. */
  readonly callId: string | null;
}

/** A piece of text, or a call of a tool. */
export type ModelPiece = string | { readonly call: string; readonly input?: { readonly [key: string]: Json } };

import type { Json } from "../kernel/index.ts";

/** One model of one provider, ready to be asked. */
export interface Model {
  /** NAME/MODEL, as in the configuration. */
  readonly name: string;
  /** The provider's NAME: its circuit breaker is shared by all of its models. */
  readonly provider: string;
  /** Tokens that a request and its answer may have together. */
  readonly windowTokens: number;
  readonly outputTokensMax: number;
  readonly takesImages: boolean;
  /** Null: unknown, so steps have no cost. */
  readonly price: Price | null;
  /** Ends with one `end` part, or throws a `ModelError`. Aborting the signal cuts the connection at once. */
  readonly stream: (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelPart>;
}

/** Micro-dollars per million tokens, so that money stays whole. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  /** Null: the model's own limit. */
  readonly outputTokensMax: number | null;
  readonly thinking: Thinking;
  /** A JSON schema that the answer has to fit; null for text. */
  readonly schema: Json | null;
  /** The same for all requests of a session: providers route by it to where the prompt is cached. */
  readonly cacheKey: string;
}

export type Thinking = "off" | "low" | "medium" | "high";

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** A JSON schema of the input. */
  readonly input: Json;
}

/** A message of ours. No library's message type is stored or passed between rooms. */
export type Message =
  | { readonly role: "user"; readonly content: readonly (Text | Image)[] }
  | { readonly role: "assistant"; readonly content: readonly AnswerPart[] }
  | { readonly role: "tool"; readonly results: readonly CallResult[] };

export type AnswerPart = Text | Thought | Call;

export interface Text {
  readonly kind: "text";
  readonly text: string;
  readonly meta?: Meta;
}

export interface Image {
  readonly kind: "image";
  readonly mediaType: string;
  readonly base64: string;
}

export interface Thought {
  readonly kind: "thought";
  readonly text: string;
  readonly meta?: Meta;
}

export interface Call {
  readonly kind: "call";
  readonly callId: string;
  readonly name: string;
  /** As the model wrote it; it may be no valid JSON. */
  readonly input: string;
  readonly meta?: Meta;
}

export interface CallResult {
  readonly callId: string;
  readonly name: string;
  readonly content: readonly (Text | Image)[];
  readonly isError: boolean;
}

/** What a provider wants back with a part, such as the signature of a thought. Only the same `api` and model get it back. */
export interface Meta {
  readonly api: string;
  readonly model: string;
  readonly data: Json;
}

export type ModelPart =
  /** A piece of text on its way: for watchers only. */
  | { readonly kind: "delta"; readonly of: "text" | "thought"; readonly text: string }
  /** A complete part of the answer, in the order of the answer. */
  | { readonly kind: "part"; readonly part: AnswerPart }
  | { readonly kind: "end"; readonly stop: Stop; readonly usage: Usage };

/** `length`: cut by the output limit. `refused`: the provider's filter stopped it. */
export type Stop = "stop" | "tool_calls" | "length" | "refused";

/** Tokens of one step. `input` is without the cached ones. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/**
 * `auth`: key wrong or missing. `billing`: no money. `rate_limit`: too fast, or a quota used up (`retryAfterMs` says until
 * when). `overflow`: the request is larger than the window. `refused`: by the provider's filter. `malformed`: an answer
 * that cannot be read. `unreachable`: no connection. `invalid`: the provider rejects the request itself.
 */
export type ModelErrorClass =
  | "auth"
  | "billing"
  | "rate_limit"
  | "overloaded"
  | "timeout"
  | "unreachable"
  | "overflow"
  | "refused"
  | "malformed"
  | "model_unknown"
  | "invalid";

export class ModelError extends Error {
  readonly errorClass: ModelErrorClass;
  readonly status: number | null;
  /** How long the provider asks to wait; null when it does not say. */
  readonly retryAfterMs: number | null;
  constructor(
    errorClass: ModelErrorClass,
    message: string,
    more: { readonly status?: number | null; readonly retryAfterMs?: number | null; readonly cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = "ModelError";
    this.errorClass = errorClass;
    this.status = more.status ?? null;
    this.retryAfterMs = more.retryAfterMs ?? null;
  }
}

import { awaitedAnswer, type CallProgress, WITH_PROGRESS } from "./awaited-answer.ts";
import { follow, type StreamOptions } from "./follow.ts";
import { type Fetch, send, type Target, type UnknownMembers, wholeText } from "./request.ts";
import type { StreamItem } from "./stream-items.ts";
import type { SyscallTypes } from "./types.generated.ts";

export interface ClientOptions {
  /** `http://127.0.0.1:4200` */
  readonly url: string;
  readonly token: string;
  readonly fetch?: Fetch;
  readonly onUnknown?: UnknownMembers | undefined;
}

export type SyscallName = keyof SyscallTypes;
export type StreamName = { [N in SyscallName]: SyscallTypes[N]["kind"] extends "stream" ? N : never }[SyscallName];
export type CallName = Exclude<SyscallName, StreamName>;
export type InputOf<N extends SyscallName> = SyscallTypes[N]["input"];
export type OutputOf<N extends SyscallName> = SyscallTypes[N]["output"];

export interface CallOptions {
  /** For writes: a repeated call with the same key changes nothing twice. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
  /** Told how far a long call is, where the daemon knows. */
  readonly progress?: ((progress: CallProgress) => void) | undefined;
}

/** Every syscall, typed by its name. A refusal is thrown as a `ClientError`. */
export interface Client {
  readonly url: string;
  readonly call: <N extends CallName>(name: N, input: InputOf<N>, options?: CallOptions) => Promise<OutputOf<N>>;
  readonly stream: <N extends StreamName>(
    name: N,
    input: InputOf<N>,
    options?: StreamOptions,
  ) => AsyncGenerator<StreamItem>;
  /** For callers that learn name and input at run time, such as a command line; the daemon validates both. */
  readonly callByName: (
    name: string,
    input: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ) => Promise<unknown>;
  readonly streamByName: (
    name: string,
    input: Readonly<Record<string, unknown>>,
    options?: StreamOptions,
  ) => AsyncGenerator<StreamItem>;
}

export function createClient(options: ClientOptions): Client {
  const target: Target = {
    url: options.url.replace(/\/+$/, ""),
    token: options.token,
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    onUnknown: options.onUnknown,
  };
  const callByName: Client["callByName"] = async (name, input, { idempotencyKey, signal, progress } = {}) => {
    const headers: Record<string, string> = {
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      ...(progress === undefined ? {} : { accept: WITH_PROGRESS }),
    };
    const response = await send(target, { name, input, headers, signal });
    const awaited = progress === undefined ? null : await awaitedAnswer(response, progress);
    if (awaited !== null) return awaited.value;
    return JSON.parse(await wholeText(response, signal));
  };
  const streamByName: Client["streamByName"] = (name, input, given = {}) => follow(target, { name, input }, given);
  return {
    url: target.url,
    callByName,
    streamByName,
    // The daemon's answer has the shape of the syscall table that these types were generated from.
    call: async <N extends CallName>(name: N, input: InputOf<N>, given?: CallOptions) =>
      (await callByName(name, { ...input }, given)) as OutputOf<N>,
    stream: (name, input, given) => streamByName(name, { ...input }, given),
  };
}

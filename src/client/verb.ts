import type { CallName, CallOptions, InputOf, OutputOf, StreamName, SyscallName } from "./client.ts";
import type { StreamOptions } from "./follow.ts";
import type { StreamItem } from "./stream-items.ts";

/** A syscall as a function. The input may be left out where every member of it may. */
export type Verb<N extends SyscallName> = N extends StreamName
  ? (...given: Given<N, StreamOptions>) => AsyncGenerator<StreamItem>
  : N extends CallName
    ? (...given: Given<N, CallOptions>) => Promise<OutputOf<N>>
    : never;

type Given<N extends SyscallName, Options> =
  Record<never, never> extends InputOf<N>
    ? [input?: InputOf<N>, options?: Options]
    : [input: InputOf<N>, options?: Options];

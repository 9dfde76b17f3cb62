import type { HostProcess } from "../host/index.ts";

/** What a turn does to the world: intended, gated, begun and settled in the log. All of it may run in parallel. */
export interface TurnEffects {
  readonly run: (command: string) => Promise<EffectResult>;
  readonly write: (path: string, text: string) => Promise<EffectResult>;
  readonly start: (argv: readonly string[]) => Promise<TurnProcess>;
  readonly read: (path: string) => Promise<string>;
  readonly sleep: (ms: number) => Promise<void>;
  /** The driver's own process, in the session's directory, with nothing but the session's own token. */
  readonly host: (
    argv: readonly string[],
    env: Readonly<Record<string, string>>,
    shown?: readonly string[],
    /** What of `argv` comes from the person, and not from whoever talks to the agent: it can be read behind walls. */
    programs?: readonly string[],
  ) => HostProcess;
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

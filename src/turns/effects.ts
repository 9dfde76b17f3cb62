import type { HostProcess } from "../host/index.ts";
import type { EffectKind, Json, RedoClass } from "../kernel/index.ts";

/** What a turn does to the world: intended, gated, begun and settled in the log. All of it may run in parallel. */
export interface TurnEffects {
  readonly run: (command: string, place?: CallPlace) => Promise<EffectResult>;
  readonly write: (path: string, text: string, place?: CallPlace) => Promise<EffectResult>;
  readonly start: (argv: readonly string[], place?: CallPlace) => Promise<TurnProcess>;
  /** A tool of the driver's own. `act` runs when the gate, or a person, has allowed it and that is durable. */
  readonly effect: (order: EffectOrder, act: Act) => Promise<EffectResult>;
  /** What an effect of this turn has printed, page by page: out of the log, so all of it. */
  readonly output: (effectId: string, page?: OutputQuery) => Promise<OutputPage>;
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

/** The place of an effect or a question in its turn: how a resumed run of the turn finds what became of it. */
export interface CallPlace {
  /**
   * A name that is used once in a run of the turn. A call without one is named after the checkpoint last reached and its
   * order since.
   */
  readonly key?: string | undefined;
  /** From where the driver goes on if the daemon ends while this call waits for a person. Default: the last reached. */
  readonly checkpoint?: Json | undefined;
}

export interface EffectOrder extends CallPlace {
  readonly kind: EffectKind;
  /** What is done, in full: it stands in the log, and a resumed call must bring the same. */
  readonly detail: Json;
  /** What it touches, by the name that rules know it by. */
  readonly resource: string;
  /** The file that it changes, below the session's directory, where it changes just one. */
  readonly path?: string;
  /** What it does, in full, for the person who is asked. */
  readonly shown: string;
  readonly redo: RedoClass;
}

export type Act = (effect: BegunEffect) => Promise<Acted>;

export interface BegunEffect {
  readonly effectId: string;
  /** Records a piece of output. */
  readonly print: (stream: "stdout" | "stderr", text: string) => Promise<void>;
}

export interface Acted {
  readonly exitCode: number | null;
  /** What the driver gets back, up to its beginning. It is recorded as output, unless something was printed. */
  readonly output: string;
  /** Why it failed; null when it did not. */
  readonly message: string | null;
}

export interface EffectResult {
  readonly effectId: string;
  readonly outcome: "done" | "failed" | "refused";
  readonly exitCode: number | null;
  /** The beginning of what it printed, 16 KB at most; `output()` reads the whole. */
  readonly output: string;
  /** How much it printed, all together. */
  readonly outputBytes: number;
  readonly message: string | null;
}

export interface OutputQuery {
  /** The `at` of the last piece that was read. */
  readonly after?: number | undefined;
  /** Pieces, at most. A page ends earlier when it grows large. */
  readonly limit?: number | undefined;
}

/** A page may be short or empty although there is more. `next` null: the end of what is recorded so far. */
export interface OutputPage {
  readonly pieces: readonly (OutputPiece & { readonly at: number })[];
  readonly next: number | null;
}

export interface OutputPiece {
  readonly stream: "stdout" | "stderr";
  readonly text: string;
}

/** A process that runs beside the turn and ends with it at the latest. */
export interface TurnProcess {
  readonly effectId: string;
  readonly write: (text: string) => Promise<void>;
  readonly closeInput: () => Promise<void>;
  readonly output: AsyncIterable<OutputPiece>;
  /** Resolves once, after all output; asking again gives the same answer. */
  readonly wait: () => Promise<EffectResult>;
  readonly cancel: () => Promise<void>;
}

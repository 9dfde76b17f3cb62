import type { HostProcess } from "../host/index.ts";
import type { EffectKind, Json, QuestionDetail, RedoClass } from "../kernel/index.ts";

/** A turn's effects: intended, gated, begun and settled in the log. They may run in parallel. */
export interface TurnEffects {
  readonly run: (command: string, place?: CallPlace) => Promise<EffectResult>;
  readonly write: (path: string, text: string, place?: CallPlace) => Promise<EffectResult>;
  readonly start: (argv: readonly string[], place?: CallPlace) => Promise<TurnProcess>;
  /** A tool of the driver's own. `act` runs after the gate or a person has allowed it and that is durable. */
  readonly effect: (order: EffectOrder, act: Act) => Promise<EffectResult>;
  /** An effect's complete output, page by page, from the log. */
  readonly output: (effectId: string, page?: OutputQuery) => Promise<OutputPage>;
  readonly read: (path: string) => Promise<string>;
  readonly sleep: (ms: number) => Promise<void>;
  /** The driver's own process, in the session's directory, with only the session's own token. */
  readonly host: (
    argv: readonly string[],
    env: Readonly<Record<string, string>>,
    shown?: readonly string[],
    /** Paths in `argv` that a person chose, not the agent's caller: they are readable behind walls. */
    programs?: readonly string[],
  ) => HostProcess;
}

/** The place of an effect or a question in its turn, by which a resumed run finds its outcome. */
export interface CallPlace {
  /** A key, used once in a run of the turn. A call without one is named by the last checkpoint and its order since. */
  readonly key?: string | undefined;
  /**
   * The driver checkpoint to continue from if the daemon ends while this call waits for a person. Default: the last one
   * reached.
   */
  readonly checkpoint?: Json | undefined;
}

export interface EffectOrder extends CallPlace {
  readonly kind: EffectKind;
  /** The full action: it is in the log, and a resumed call must bring the same. */
  readonly detail: Json;
  /** What it touches, as rules name it. */
  readonly resource: string;
  /** The file that it changes, below the session's directory, where it changes just one. */
  readonly path?: string;
  /** What it does, in full, for the person who is asked. */
  readonly shown: string;
  readonly redo: RedoClass;
  /** The same for a screen; called only where a person may be asked. */
  readonly preview?: () => Promise<QuestionDetail>;
}

export type Act = (effect: BegunEffect) => Promise<Acted>;

export interface BegunEffect {
  readonly effectId: string;
  /** Records a piece of output. */
  readonly print: (stream: "stdout" | "stderr", text: string) => Promise<void>;
}

export interface Acted {
  readonly exitCode: number | null;
  /** The result for the driver, cut to its beginning. Recorded as output unless something was printed. */
  readonly output: string;
  /** Why it failed; null when it succeeded. */
  readonly message: string | null;
}

export interface EffectResult {
  readonly effectId: string;
  readonly outcome: "done" | "failed" | "refused";
  readonly exitCode: number | null;
  /** The beginning of its output, 16 KB at most; `output()` reads the whole. */
  readonly output: string;
  /** Total bytes printed. */
  readonly outputBytes: number;
  readonly message: string | null;
}

export interface OutputQuery {
  /** The `at` of the last piece read. */
  readonly after?: number | undefined;
  /** Pieces at most. A large page ends earlier. */
  readonly limit?: number | undefined;
}

/** A page may be short or empty although there is more. `next` is null at the end of what is recorded so far. */
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
  /** Resolves after all output, always with the same answer. */
  readonly wait: () => Promise<EffectResult>;
  readonly cancel: () => Promise<void>;
}

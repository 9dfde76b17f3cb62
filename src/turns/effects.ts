import type { HostProcess } from "../host/index.ts";
import type { EffectKind, Json, QuestionDetail, RedoClass } from "../kernel/index.ts";

/** A turn's effects: intended, gated, begun and settled in the log. They may run in parallel. */
export interface TurnEffects {
  readonly run: (command: string, place?: CallPlace) => Promise<EffectResult>;
  readonly write: (path: string, text: string, place?: WritePlace) => Promise<EffectResult>;
  readonly remove: (path: string, place?: WritePlace) => Promise<EffectResult>;
  readonly start: (argv: readonly string[], place?: ProcessPlace) => Promise<TurnProcess>;
  /** A tool of the driver's own. `act` runs after the gate or a person has allowed it and that is durable. */
  readonly effect: (order: EffectOrder, act: Act) => Promise<EffectResult>;
  readonly known: (key: string) => Promise<KnownCall | null>;
  /** An effect's complete output, page by page, from the log. */
  readonly output: (effectId: string, page?: OutputQuery) => Promise<OutputPage>;
  readonly read: (path: string) => Promise<string>;
  /** A range of a file's bytes, judged by the gate. Not in the ledger, unless a person is asked. */
  readonly readRange: (path: string, from: number, bytes: number, place?: CallPlace) => Promise<FileRange>;
  /** Runs a program that only looks, in the session's walls. Refused while rules restrict reading. */
  readonly look: (argv: readonly string[], limits: LookLimits, place?: CallPlace) => Promise<Looked>;
  /** Of these names below the worktree's root, those that the session's scope does not let it change. */
  readonly outOfScope: (names: readonly string[]) => Promise<readonly string[]>;
  /** Rejects when the turn is interrupted, or `unneeded` aborts. */
  readonly sleep: (ms: number, unneeded?: AbortSignal) => Promise<void>;
  /** The driver's own process, in the session's directory, with only the session's own token. */
  readonly host: (
    argv: readonly string[],
    env: Readonly<Record<string, string>>,
    shown?: readonly string[],
    /** Paths in `argv` that a person chose, not the agent's caller: they are readable behind walls. */
    programs?: readonly string[],
  ) => HostProcess;
}

/** What an earlier run of the turn knows of a key. */
export interface KnownCall {
  /** Null while it waits for a person. */
  readonly result: EffectResult | null;
  /** It was under way when that run was cut: it may be done, half done, or not. */
  readonly isUnknown: boolean;
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
  /** The recorded tool call that it is part of. */
  readonly callId?: string | undefined;
}

export interface WritePlace extends CallPlace {
  /** Default: `write`. */
  readonly kind?: "write" | "edit";
  /** sha256 of what must be there now, in hex; null: nothing may be there; absent: whatever is there. */
  readonly ifHash?: string | null | undefined;
}

export interface ProcessPlace extends CallPlace {
  /** How rules and people see it. Default: a `process` with its program's name. */
  readonly as?: { readonly kind: "run" | "process" | "git"; readonly resource: string; readonly shown: string };
}

export interface FileRange {
  readonly bytes: Uint8Array;
  /** Of the whole file. */
  readonly size: number;
}

export interface LookLimits {
  readonly bytesMax: number;
  readonly timeoutMs: number;
  /** What the arguments name: one that leads out of the session's directory is refused before anything runs. */
  readonly paths?: readonly string[];
}

export interface Looked {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** It printed more than was asked for, or ran out of time. */
  readonly isCut: boolean;
}

export interface EffectOrder extends CallPlace {
  readonly kind: EffectKind;
  /** The full action: it is in the log, and a resumed call must bring the same. */
  readonly detail: Json;
  /** What it touches, as rules name it. */
  readonly resource: string;
  /** The file that it changes, below the session's directory, where it changes just one. */
  readonly path?: string;
  /** The file goes: a rule may forbid that alone. */
  readonly removes?: true;
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
  /** The processes that run now. */
  readonly pids: () => readonly number[];
  readonly write: (text: string) => Promise<void>;
  readonly closeInput: () => Promise<void>;
  readonly output: AsyncIterable<OutputPiece>;
  /** Resolves after all output, always with the same answer. */
  readonly wait: () => Promise<EffectResult>;
  readonly cancel: () => Promise<void>;
}

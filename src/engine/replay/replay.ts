import type { Spent } from "../../kernel/index.ts";
import type { LoadedEvent } from "../../turns/index.ts";
import type { Divergence } from "./run-record.ts";

/** A recorded session: all of its current path, or its beginning. */
export interface ReplaySource {
  readonly sessionId: string;
  readonly cwd: string;
  readonly events: readonly LoadedEvent[];
  /** Positions of events whose data was erased. */
  readonly erased: readonly number[];
  /** What was left of the path that ended at this event. */
  readonly branch: (from: string) => Promise<readonly LoadedEvent[]>;
}

export interface ReplayReport {
  readonly turns: readonly ReplayedTurn[];
  /** Answers of another model that were compared with recorded ones. */
  readonly compared: number;
}

export interface ReplayedTurn {
  readonly turnId: string;
  /** Of its start. */
  readonly eventId: string;
  /** `own`: the engine's loop was run again. `foreign`: another agent's; only its calls are judged. */
  readonly kind: "own" | "foreign";
  readonly steps: number;
  readonly calls: number;
  readonly is: "same" | "diverged" | "skipped";
  readonly divergences: readonly Divergence[];
  /** What was said last, by the other model where it was asked; its beginning. Null: nothing. */
  readonly text: string | null;
  /** Why it was skipped, or what else to know; null: nothing. */
  readonly note: string | null;
}

/** How a session is replayed, as a person asks for it. */
export interface ReplayHow {
  /** NAME/MODEL of another model that is asked at each recorded step; null: none. */
  readonly model: string | null;
  readonly isThorough: boolean;
  readonly callsOnly: boolean;
  /** What asking may cost; null: whatever it takes. */
  readonly budgetMicroUsd: number | null;
  readonly signal: AbortSignal;
  readonly onStep: (done: number, total: number) => void;
}

export interface EngineReplay extends ReplayReport {
  /** As recorded. */
  readonly spent: Spent;
  /** The same tokens at the other model's prices; null: none is named, or its price is unknown. */
  readonly wouldCostMicroUsd: number | null;
  /** What asking the other model took. */
  readonly asking: Spent;
  readonly notes: readonly string[];
}

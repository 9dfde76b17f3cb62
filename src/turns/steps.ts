import type { DriverFact, StepPurpose, TextOrBlob } from "../kernel/index.ts";
import type { RecordedAt } from "./recording.ts";

/** A turn's steps: one model round each, recorded, with the steering messages that arrived since the last one. */
export interface TurnSteps {
  /**
   * Records the start of a step, together with facts that belong before it. `steers` are the steering messages that it is
   * the first to contain, oldest first.
   */
  readonly beginStep: (step: StepStart, before: readonly DriverFact[]) => Promise<BegunStep>;
  /** Whether a steering message waits for the next step. */
  readonly isSteered: () => Promise<boolean>;
  /**
   * The turn met a usage limit. It stays open without a process until the time comes, then `runTurn` is called again. The
   * driver returns after this.
   */
  readonly park: (waitMs: number, reason: string) => Promise<void>;
  /** The rest of a text that is in a blob. */
  readonly load: (text: TextOrBlob) => Promise<string>;
}

export interface BegunStep {
  /** Where the earlier facts are in the log. */
  readonly before: readonly RecordedAt[];
  readonly at: RecordedAt;
  readonly steers: readonly Steer[];
}

export interface StepStart {
  readonly stepId: string;
  readonly model: string;
  readonly purpose: StepPurpose;
  /** 1, and more for each retry. */
  readonly attempt: number;
}

export interface Steer {
  readonly steerId: string;
  readonly text: string;
}

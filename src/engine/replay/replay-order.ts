import type { DriverSettings } from "../../kernel/index.ts";
import type { TurnLimits } from "../link/protocol.ts";
import type { AnswerPart, ModelRequest, Usage } from "../model.ts";

/** How the loop is run again. */
export interface ReplayOrder {
  /** Of a turn of a session with these options. */
  readonly limits: (options: DriverSettings["options"]) => TurnLimits;
  /** The window of a model of which the record does not tell it. */
  readonly windowOf: (model: string) => number;
  readonly ask: AskOther | null;
  readonly signal: AbortSignal;
  /** After each answer of the record. */
  readonly onStep: (done: number, total: number) => void;
}

/** Another model that is asked what the recorded one was asked. */
export interface AskOther {
  readonly model: string;
  /** Null: the budget is used up; nobody is asked any more. */
  readonly ask: (request: ModelRequest) => Promise<OtherAnswer | null>;
  /** Goes on along the record after a difference; else the next turn is next. */
  readonly isThorough: boolean;
  readonly callsOnly: boolean;
}

export interface OtherAnswer {
  readonly parts: readonly AnswerPart[];
  readonly usage: Usage;
}

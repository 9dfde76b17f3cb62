import type { Decision } from "../definitions/aggregate.ts";
import type { TextOrBlob } from "../event-parts.ts";
import { LIMITS } from "../limits.ts";
import { refuse } from "../refusal.ts";
import { askApproval } from "./decide-effect.ts";
import { admitTurn, notRunning } from "./decide-turn.ts";
import type { Attachment, DRIVER_EVENTS, DriverSettings } from "./driver-events.ts";
import { type Fact, fact } from "./events.ts";
import { isEnded, type SessionState } from "./state.ts";
import type { Question } from "./turn-events.ts";

/** Facts that a driver may record by itself, each in the running turn. */
export type DriverFact = Fact<
  | Exclude<keyof typeof DRIVER_EVENTS, "driver.configured@1" | "turn.attached@1">
  | "step.started@1"
  | "step.ended@1"
  | "context.composed@1"
  | "context.compacted@1"
  | "context.branched@1"
  | "message.completed@1"
>;

/** A turn that has ended records nothing more, however late its agent speaks. */
export function recordDriver(state: SessionState, turnId: string, facts: readonly DriverFact[]): Decision {
  const stray = facts.find(({ data }) => data.turnId !== turnId);
  if (stray !== undefined) return refuse("turn_not_running", { turnId: stray.data.turnId });
  return notRunning(state, turnId) ?? facts;
}

/** Asks a question in the session's current turn, whichever that is. */
export function askInTurn(state: SessionState, question: Omit<Question, "turnId">): Decision {
  const turnId = state.phase.at === "busy" ? state.phase.turnId : NO_TURN;
  return askApproval(state, { ...question, turnId });
}

/** Matches no turn, so the question is refused. */
const NO_TURN = "";

export function configureDriver(state: SessionState, change: Partial<DriverSettings>): Decision {
  if (isEnded(state)) return refuse("session_ended", { id: state.id, state: state.phase.at });
  const before = state.driver?.settings ?? { mode: null, model: null, options: {} };
  const options = { ...before.options, ...change.options };
  if (Object.keys(options).length > LIMITS.driverOptionsMax)
    return refuse("invalid_option", { optionsMax: LIMITS.driverOptionsMax });
  return [fact("driver.configured@1", { ...before, ...change, options })];
}

/** Like `admitTurn`, with attachments in the same append. */
export function admitTurnWith(
  state: SessionState,
  input: { readonly turnId: string; readonly prompt: TextOrBlob; readonly queue: boolean },
  items: readonly Attachment[],
): Decision {
  const admitted = admitTurn(state, input);
  if ("refused" in admitted || items.length === 0) return admitted;
  return [...admitted, fact("turn.attached@1", { turnId: input.turnId, items })];
}

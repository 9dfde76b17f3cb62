import type { Decision } from "../../definitions/aggregate.ts";
import type { Alarm } from "../../definitions/alarm.ts";
import { together } from "../../definitions/decisions.ts";
import type { TextOrBlob } from "../../event-parts.ts";
import { LIMITS } from "../../limits.ts";
import { refuse } from "../../refusal.ts";
import { type DriverFact, recordDriver } from "../decide-driver.ts";
import { closeTurn, cutEffects, isBusy } from "../decide-life.ts";
import { endTurn, notRunning } from "../decide-turn.ts";
import { type EventData, fact } from "../events.ts";
import { isEnded, type SessionState } from "../state.ts";

/** A message for the running turn. Durable when it is accepted; the next step contains it. */
export function steerTurn(
  state: SessionState,
  input: { readonly steerId: string; readonly text: TextOrBlob },
): Decision {
  if (isEnded(state)) return refuse("session_ended", { id: state.id, state: state.phase.at });
  if (state.phase.at !== "busy") return refuse("turn_not_running", { id: state.id });
  const waiting = state.steers ?? [];
  if (waiting.length >= LIMITS.steersMax) return refuse("queue_full", { steersMax: LIMITS.steersMax });
  return [fact("turn.steered@1", { turnId: state.phase.turnId, steerId: input.steerId, ...input.text })];
}

/** `steers`: the steering messages that this step is the first to contain. */
export function startStep(
  state: SessionState,
  step: EventData<"step.started@1">,
  before: readonly DriverFact[] = [],
): Decision {
  return together(recordDriver(state, step.turnId, before), [fact("step.started@1", step)]);
}

/** The running turn met a usage limit. It stays open without a process (`resume`), or is about to end. */
export function reachQuota(state: SessionState, given: EventData<"quota.reached@1">): Decision {
  return notRunning(state, given.turnId) ?? [fact("quota.reached@1", given)];
}

/** The alarm of a usage limit: it wakes the parked turn, admits the turn "continue", or tells a person. */
export function quotaAlarms({ quota, ...state }: SessionState): readonly Alarm[] {
  const isOver = state.phase.at === "exited" || state.phase.at === "killed" || state.phase.at === "error";
  return quota === undefined || isOver ? [] : [{ name: QUOTA, dueAt: quota.until }];
}

export function ringQuota(state: SessionState, { name }: Alarm): Decision {
  const { quota } = state;
  if (name !== QUOTA || quota === undefined || isEnded(state)) return [];
  const { turnId, onReset, nextTurnId } = quota;
  const reset = fact("quota.reset@1", { turnId });
  if (onReset === "resume") return [reset];
  if (onReset === "tell") return [reset, fact("driver.noticed@1", { turnId, ...RESET_NOTICE })];
  const queued = isBusy(state) || state.phase.at === "suspended";
  if (state.queue.length >= LIMITS.queuedTurnsMax) return [reset];
  const prompt = { prompt: CONTINUE, blob: null, bytes: CONTINUE.length };
  return [reset, fact("turn.admitted@1", { turnId: nextTurnId, ...prompt, queued })];
}

const QUOTA = "quota";
const CONTINUE = "continue";
const RESET_NOTICE = {
  severity: "warning",
  title: "The usage limit has reset: prompt the session to go on.",
  body: null,
} as const;

/**
 * A turn of a driver that continues from the log was cut. Effects under way have an unknown outcome; the turn itself goes
 * on, unless it was cut again and again without finishing a step.
 */
export function continueTurn(state: SessionState, reason: string, by: CutBy = "driver"): Decision {
  if (state.phase.at !== "busy") return [];
  const { turnId } = state.phase;
  if (state.stopAsked) return endTurn(state, { turnId, outcome: "interrupted", error: null, settles: true });
  if (isParked(state)) return [];
  const error = cutTooOften(state, by);
  const whose = by === "daemon" ? { by } : {};
  if (error === null) return [...cutEffects(state, turnId), fact("turn.resumed@1", { turnId, reason, ...whose })];
  const settled = state.queue.length === 0 ? [fact("turn.settled@1", { turnId })] : [];
  return [...closeTurn(state, turnId, "interrupted", error, "expired"), ...settled];
}

/**
 * What ended while the turn ran. A turn may well be why its driver's process ends. It is hardly ever why the daemon does:
 * that is killed and restarted for reasons of its own, so it may happen more often.
 */
export type CutBy = "driver" | "daemon";

/** Why a cut turn does not go on: it was cut again and again without finishing a step. Null: it goes on. */
export function cutTooOften(
  { resumes = 0, restarts = 0 }: SessionState,
  by: CutBy,
): { readonly code: string; readonly message: string } | null {
  const [cuts, cutsMax] = by === "daemon" ? [restarts, LIMITS.restartsMax] : [resumes, LIMITS.resumesMax];
  if (cuts < cutsMax) return null;
  return { code: "turn_cut", message: `The turn was cut ${cutsMax} times in a row without finishing a step.` };
}

/** The turn waits for a usage limit to reset and holds no process. */
export function isParked({ phase, quota }: SessionState): boolean {
  return phase.at === "busy" && quota?.onReset === "resume" && quota.turnId === phase.turnId;
}

/** Another driver and agent for the turns to come. */
export function switchDriver(state: SessionState, to: EventData<"driver.switched@1">): Decision {
  if (isEnded(state)) return refuse("session_ended", { id: state.id, state: state.phase.at });
  if (isBusy(state)) return refuse("session_busy", { id: state.id });
  const isSame = state.spec?.adapter === to.adapter && state.spec.agent === to.agent;
  return isSame ? [] : [fact("driver.switched@1", to)];
}

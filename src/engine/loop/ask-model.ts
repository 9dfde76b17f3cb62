import type { StepPurpose } from "../../kernel/index.ts";
import type { ModelError, ModelErrorClass, ModelRequest } from "../model.ts";
import { type Pass, retryVerdict } from "../providers/index.ts";
import { runStep, type StepAnswer } from "./step.ts";
import { failureOf, isModelError, Parked, TurnFailure } from "./turn-failure.ts";
import type { TurnState } from "./turn-state.ts";

/** Another model may help where this one cannot. */
const FALLS_BACK: ReadonlySet<ModelErrorClass> = new Set([
  "auth",
  "billing",
  "model_unknown",
  "overloaded",
  "timeout",
  "unreachable",
  "malformed",
  "rate_limit",
]);
const BREAKER_WAIT_MAX_MS = 60_000;

export interface Question {
  readonly request: () => Promise<ModelRequest>;
  /** Makes room after an overflow, once; false: it could not. */
  readonly onOverflow: () => Promise<boolean>;
  /** False: a usage limit fails the question, and the turn goes on without its answer. */
  readonly mayPark: boolean;
}

/**
 * Asks until there is an answer: retries what may pass, waits for an open circuit, falls back to the next model, and parks
 * the turn at a usage limit.
 */
export async function askModel(turn: TurnState, purpose: StepPurpose, question: Question): Promise<StepAnswer> {
  let hasMadeRoom = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const answer = await throughBreaker(turn, (pass) =>
        runStep(turn, { purpose, attempt, request: question.request, onAnswer: pass.answers }),
      );
      await tellRetried(turn, attempt, null);
      return answer;
    } catch (thrown) {
      turn.link.signal.throwIfAborted();
      if (isCircuitOpen(thrown)) throw await parkedOr(turn, question, thrown);
      if (!isModelError(thrown)) throw thrown;
      if (thrown.errorClass === "overflow" && !hasMadeRoom) {
        hasMadeRoom = true;
        if (await question.onOverflow()) continue;
      }
      if (await waitOrFallBack(turn, question, thrown, attempt)) attempt = 0;
    }
  }
}

/** True: another model is asked from here on. */
async function waitOrFallBack(
  turn: TurnState,
  question: Question,
  error: ModelError,
  attempt: number,
): Promise<boolean> {
  const { link, clock } = turn;
  const verdict = retryVerdict(error, attempt, clock);
  await tellRetried(turn, attempt, error.message);
  if (verdict.kind === "retry") {
    await turn.points.fire("retry_start", { turnId: turn.order.turnId, attempt, delayMs: verdict.delayMs });
    await clock.sleep(verdict.delayMs, link.signal);
    return false;
  }
  if (verdict.kind === "park") noteLimit(turn, clock.nowMs() + verdict.parkMs, error.message);
  if (!FALLS_BACK.has(error.errorClass)) throw failureOf(error);
  if (await useNext(turn)) return true;
  throw await parkedOr(turn, question, failureOf(error));
}

function noteLimit(turn: TurnState, untilMs: number, reason: string): void {
  if (turn.limit === null || untilMs < turn.limit.untilMs) turn.limit = { untilMs, reason };
}

/** No model is left. If one of them only waits for its usage limit, the turn does too: until the first limit resets. */
async function parkedOr(
  { limit, link, clock }: TurnState,
  { mayPark }: Question,
  failure: TurnFailure,
): Promise<Error> {
  if (limit === null || !mayPark) return failure;
  await link.call({ do: "park", waitMs: Math.max(1, limit.untilMs - clock.nowMs()), reason: limit.reason });
  return new Parked();
}

function isCircuitOpen(thrown: unknown): thrown is TurnFailure {
  return thrown instanceof TurnFailure && thrown.code === "circuit_open";
}

/** The retry that has just been made is over. `message`: it failed too. */
async function tellRetried({ points, order }: TurnState, attempt: number, message: string | null): Promise<void> {
  if (attempt < 2) return;
  const { turnId } = order;
  await points.fire("retry_end", { turnId, attempt: attempt - 1, isSuccess: message === null, message });
}

async function useNext(turn: TurnState): Promise<boolean> {
  const next = turn.models[turn.models.indexOf(turn.model) + 1];
  if (next === undefined) return false;
  const before = turn.model.name;
  turn.model = next;
  await turn.points.fire("model_change", { model: next.name, before, source: "fallback" });
  return true;
}

/** The breaker really holds calls back: while it is open nothing is sent to the provider. */
async function throughBreaker<T>(turn: TurnState, ask: (pass: Pass) => Promise<T>): Promise<T> {
  const { link, clock } = turn;
  for (let waitedMs = 0; ; ) {
    const gate = turn.breakerOf(turn.model.provider).gate();
    if (gate.open) {
      try {
        const answer = await ask(gate.pass);
        gate.pass.succeeded();
        return answer;
      } catch (thrown) {
        if (isModelError(thrown)) gate.pass.failed(thrown.errorClass);
        else gate.pass.aborted();
        throw thrown;
      }
    }
    if (await useNext(turn)) continue;
    const waitMs = Math.max(1, gate.retryAtMs - clock.nowMs());
    if (waitedMs + waitMs > BREAKER_WAIT_MAX_MS)
      throw new TurnFailure(
        "circuit_open",
        `${turn.model.provider} failed several times in a row; it is tried again at ${new Date(gate.retryAtMs).toISOString()}.`,
      );
    waitedMs += waitMs;
    await clock.sleep(waitMs, link.signal);
  }
}

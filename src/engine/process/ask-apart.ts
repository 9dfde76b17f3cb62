import type { ApartAnswer, FromEngine, ModelRef, ToEngine } from "../link/protocol.ts";
import { failureOf } from "../loop/turn-failure.ts";
import type { LoopClock } from "../loop/turn-state.ts";
import { type AnswerPart, type Model, ModelError, type ModelRequest, type Usage } from "../model.ts";
import { type Breaker, NO_USAGE, retryVerdict } from "../providers/index.ts";

export interface AskingParts {
  readonly modelOf: (ref: ModelRef, token: string | null) => Promise<Model>;
  readonly breakerOf: (provider: string) => Breaker;
  readonly clock: LoopClock;
  /** Running turns and requests, by number. */
  readonly aborts: Map<number, AbortController>;
  readonly send: (message: FromEngine) => void;
}

/** Answers requests that belong to no turn. */
export function createAsking({ modelOf, breakerOf, clock, aborts, send }: AskingParts) {
  return async ({ id, model: ref, token, request }: Extract<ToEngine, { kind: "ask" }>): Promise<void> => {
    const abort = new AbortController();
    aborts.set(id, abort);
    const { signal } = abort;
    const answer = await modelOf(ref, token).then(
      (model) => askApart({ model, request, breaker: breakerOf(model.provider), clock, signal }),
      (thrown: unknown) => failed("model_failed", thrown),
    );
    aborts.delete(id);
    send({ kind: "asked", id, answer });
  };
}

interface ApartOrder {
  readonly model: Model;
  readonly request: ModelRequest;
  readonly breaker: Breaker;
  readonly clock: LoopClock;
  readonly signal: AbortSignal;
}

/** One request that belongs to no turn, through the provider's breaker and with the loop's retries. Never throws. */
async function askApart(order: ApartOrder): Promise<ApartAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return { ok: true, ...(await once(order)) };
    } catch (thrown) {
      if (!(thrown instanceof ModelError) || order.signal.aborted) return failed("model_failed", thrown);
      const verdict = retryVerdict(thrown, attempt, order.clock);
      if (verdict.kind !== "retry") return failed(failureOf(thrown).code, thrown);
      try {
        await order.clock.sleep(verdict.delayMs, order.signal);
      } catch (aborted) {
        return failed("model_failed", aborted);
      }
    }
  }
}

async function once({ model, request, breaker, clock, signal }: ApartOrder) {
  const gate = breaker.gate();
  if (!gate.open)
    throw new ModelError("unreachable", `${model.provider} failed several times in a row.`, {
      retryAfterMs: Math.max(1, gate.retryAtMs - clock.nowMs()),
    });
  try {
    const answer = await read(model, request, signal, gate.pass.answers);
    gate.pass.succeeded();
    return answer;
  } catch (thrown) {
    if (thrown instanceof ModelError) gate.pass.failed(thrown.errorClass);
    else gate.pass.aborted();
    throw thrown;
  }
}

async function read(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
  onAnswer: () => void,
): Promise<{ readonly parts: readonly AnswerPart[]; readonly usage: Usage }> {
  const parts: AnswerPart[] = [];
  let usage = NO_USAGE;
  for await (const part of model.stream(request, signal)) {
    onAnswer();
    if (part.kind === "part") parts.push(part.part);
    if (part.kind === "end") usage = part.usage;
  }
  signal.throwIfAborted();
  return { parts, usage };
}

function failed(code: string, thrown: unknown): ApartAnswer {
  return { ok: false, code, message: thrown instanceof Error ? thrown.message : String(thrown) };
}

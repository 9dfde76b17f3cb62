import { setImmediate } from "node:timers/promises";
import type { TodoItem } from "../../kernel/index.ts";
import { TURN_SUMMARY } from "../compaction/prompts.ts";
import { answersIn } from "../compaction/summary.ts";
import {
  type AnswerPart,
  type Meta,
  type Model,
  ModelError,
  type ModelErrorClass,
  type ModelPart,
  type ModelRequest,
} from "../model.ts";
import { TRIES_MAX } from "../providers/index.ts";
import type { RunEnd } from "./recorded-turns.ts";
import type { FactOf, RunRecord } from "./run-record.ts";

export interface RecordedModelOrder {
  readonly name: string;
  readonly windowTokens: number;
  readonly record: RunRecord;
  readonly end: RunEnd;
  /** Called before a recorded answer is given, with what the model was asked: another model may be asked the same. */
  readonly onAnswer: (request: ModelRequest, parts: readonly AnswerPart[]) => Promise<void>;
  /** The recorded interrupt. */
  readonly interrupt: () => void;
  readonly todo: () => readonly TodoItem[];
  /** What a step cost then counts for the turn's budget. */
  readonly spend: (microUsd: number) => void;
}

/** A model that answers as the record says. */
export function recordedModel(order: RecordedModelOrder): Model {
  const { name, windowTokens } = order;
  const provider = name.split("/", 1)[0] ?? name;
  return {
    ...{ name, provider, windowTokens, outputTokensMax: windowTokens, takesImages: true, price: null },
    stream: (request, signal) => answer(order, request, signal),
  };
}

async function* answer(
  order: RecordedModelOrder,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelPart> {
  const { record, end: runEnd } = order;
  const started = record.takeBegun();
  const end = started === null ? null : record.endOf(started.data.stepId);
  if (started === null || end === null)
    return runEnd.is === "stopped" ? record.stop() : record.diverge(null, "an answer of the model");
  const { purpose, stepId } = started.data;
  if (purpose !== "answer") await record.untilEndOf(stepId);
  const { error, stop, usage } = end.data;
  if (error !== null) throw modelError(order, started, error);
  const parts = purpose === "answer" ? partsOf(record, end) : [summaryOf(order, purpose, request)];
  if (purpose === "answer" && stop !== "aborted") await order.onAnswer(request, parts);
  signal.throwIfAborted();
  for (const part of parts) yield { kind: "part", part };
  order.spend(end.data.costMicroUsd ?? 0);
  yield { kind: "end", stop: stop === "aborted" || stop === "error" ? "stop" : stop, usage };
  if (stop === "aborted") order.interrupt();
}

/** Lets others of this process work, now and then. */
export function createBreather(nowMs: () => number = performance.now.bind(performance)): () => Promise<void> {
  let sinceMs = nowMs();
  return async () => {
    if (nowMs() - sinceMs < BUSY_MS) return;
    await setImmediate();
    sinceMs = nowMs();
  };
}

const BUSY_MS = 10;

/** The parts of an answer: its texts and calls are in the facts before its end. */
function partsOf(record: RunRecord, end: FactOf<"step.ended@1">): readonly AnswerPart[] {
  const { texts, calls } = record.saidBefore(end);
  return end.data.parts.map((part): AnswerPart => {
    // What a provider wants back was stored as it came.
    const meta = part.meta === null ? {} : { meta: part.meta as unknown as Meta };
    if (part.kind !== "call") return { kind: part.kind, text: texts.shift() ?? "", ...meta };
    return { kind: "call", callId: part.callId, name: part.name, input: calls.get(part.callId) ?? "", ...meta };
  });
}

/** An answer that was asked for a summary is in the log only as a part of the summary. */
function summaryOf(
  { record, todo }: RecordedModelOrder,
  purpose: "compaction" | "branch",
  request: ModelRequest,
): AnswerPart {
  if (purpose === "branch") {
    const branched = record.ahead("context.branched@1");
    const text =
      branched === null ? "" : (answersIn(branched.data.summary.text, branched.data.files, []).history ?? "");
    return { kind: "text", text };
  }
  const compacted = record.ahead("context.compacted@1");
  if (compacted === null) return { kind: "text", text: "" };
  const { summary, files } = compacted.data;
  const answers = answersIn(summary.text, files, todo());
  const isOfTurn = JSON.stringify(request.messages).includes(JSON.stringify(TURN_SUMMARY).slice(1, -1));
  return { kind: "text", text: (isOfTurn ? answers.turn : answers.history) ?? "" };
}

/** How long a provider asked to wait is not recorded; what the loop did then shows it: a short wait ends in another try. */
function modelError(
  { record, end }: RecordedModelOrder,
  { data: { model, purpose, attempt } }: FactOf<"step.started@1">,
  error: { readonly class: string; readonly message: string },
): ModelError {
  const errorClass = error.class as ModelErrorClass;
  const next = record.ahead("step.started@1")?.data;
  const isRetried = next?.purpose === purpose && next.model === model && next.attempt === attempt + 1;
  const isParked = next === undefined && end.is === "parked";
  // After its last try the loop gives up by itself, unless it parks.
  const isLong = errorClass === "rate_limit" && !isRetried && (isParked || attempt < TRIES_MAX);
  const waitMs = isParked ? Math.max(LONG_WAIT_MS, end.waitMs) : LONG_WAIT_MS;
  return new ModelError(errorClass, error.message, { retryAfterMs: isLong ? waitMs : null });
}

/** Longer than the loop waits for a provider. */
const LONG_WAIT_MS = 60_001;

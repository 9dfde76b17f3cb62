import type { LogEvent } from "../../../src/client/index.ts";
import { memberOf } from "../../../src/kernel/index.ts";
import type { SteerEntry, Step } from "../entry.ts";
import { listIn, numberOrNull, placeOf, storedIn, textIn, textOrNull } from "../reading.ts";
import type { Desk, Handlers, Turn } from "./desk.ts";
import { noteIn } from "./notes.ts";

const NO_TEXT = { text: "", blob: null, bytes: 0 };

/** What the own engine tells: model rounds, steering and compactions. */
export const STEP_HANDLERS: Handlers = {
  "step.started@1": (desk, event) => {
    const turn = desk.turn(event);
    const step = stepIn(event);
    turn.steps.set(step.stepId, step);
    for (const steerId of listIn(event.data, "steers")) steerBecomes(desk, `steer:${String(steerId)}`, "delivered");
  },
  "step.ended@1": (desk, event) => {
    const turn = desk.turn(event);
    const begun = turn.steps.get(textIn(event.data, "stepId")) ?? stepIn(event);
    const step = { ...begun, ...endIn(event) };
    turn.steps.set(step.stepId, step);
    if (step.error === null) turn.failure = null;
    else failed(desk, event, turn, step, step.error);
  },
  "turn.steered@1": (desk, event) => {
    const key = `steer:${textIn(event.data, "steerId")}`;
    desk.waiting.add(key);
    desk.put({ ...placeOf(event, key), kind: "steer", body: storedIn(event.data) ?? NO_TEXT, standing: "accepted" });
  },
  "quota.reached@1": (desk, event) => {
    withoutRepeated(desk, desk.turn(event), textIn(event.data, "reason"));
    const note = noteIn(event);
    if (note !== null) desk.put(note);
  },
  "context.compacted@1": (desk, event) => {
    const { data } = event;
    desk.put({
      ...placeOf(event),
      kind: "compaction",
      before: numberOrNull(data, "tokensBefore") ?? 0,
      after: numberOrNull(data, "tokensAfter") ?? 0,
      reason: textIn(data, "reason"),
      focus: textOrNull(data, "focus"),
      summary: storedIn(memberOf(data, "summary")) ?? NO_TEXT,
    });
  },
};

/** A turn that failed takes its unread messages along: the next prompt brings them. */
export function steersAfter(desk: Desk, outcome: string): void {
  if (outcome !== "completed") for (const key of desk.waiting) steerBecomes(desk, key, "late");
}

export function steersWithPrompt(desk: Desk): void {
  for (const key of [...desk.waiting]) steerBecomes(desk, key, "delivered");
}

/** A message that its turn did not read becomes a prompt of the same id. */
export function steerAsPrompt(desk: Desk, turnId: string): void {
  desk.waiting.delete(`steer:${turnId}`);
  desk.remove(`steer:${turnId}`);
}

function steerBecomes(desk: Desk, key: string, standing: SteerEntry["standing"]): void {
  if (standing === "delivered") desk.waiting.delete(key);
  const steer = desk.find(key);
  if (steer?.kind === "steer") desk.put({ ...steer, standing });
}

function stepIn({ data }: LogEvent): Step {
  return {
    stepId: textIn(data, "stepId"),
    model: textIn(data, "model"),
    isCompaction: ["compaction", "branch"].includes(textIn(data, "purpose")),
    attempt: numberOrNull(data, "attempt") ?? 1,
    ...{ input: 0, output: 0, cached: 0, costMicroUsd: null, ms: null, firstTokenMs: null, error: null },
  };
}

function endIn({ data }: LogEvent): Omit<Step, "stepId" | "isCompaction" | "attempt"> {
  const usage = memberOf(data, "usage");
  const tokens = (key: string): number => numberOrNull(usage, key) ?? 0;
  const error = memberOf(data, "error");
  return {
    model: textIn(data, "model"),
    input: tokens("input"),
    output: tokens("output"),
    cached: tokens("cacheRead") + tokens("cacheWrite"),
    costMicroUsd: numberOrNull(data, "costMicroUsd"),
    ms: numberOrNull(data, "ms"),
    firstTokenMs: numberOrNull(data, "firstTokenMs"),
    error: textOrNull(error, "message") ?? textOrNull(error, "class"),
  };
}

/** Tries in a row that failed are one quiet line. */
function failed(desk: Desk, event: LogEvent, turn: Turn, { stepId, model }: Step, error: string): void {
  const { key, tries } = turn.failure ?? { key: `step:${stepId}`, tries: 0 };
  turn.failure = { key, tries: tries + 1, error };
  const times = tries === 0 ? "" : ` (${tries + 1} tries)`;
  const text = `${model} did not answer${times}: ${error}`;
  const rest = { tone: "plain", more: null, names: [], session: null, code: null } as const;
  desk.put({ ...(desk.find(key) ?? placeOf(event, key)), kind: "note", text, ...rest });
}

/** A turn that ends by the error of its one try says it itself. */
export function withoutRepeated(desk: Desk, { failure }: Turn, message: string): void {
  if (failure !== null && failure.tries === 1 && failure.error === message) desk.remove(failure.key);
}

import { setImmediate } from "node:timers/promises";
import type { DriverFact } from "../../kernel/index.ts";
import type { BegunStep, LoadedEvent, RecordedAt, StepStart } from "../../turns/index.ts";
import type { LoadedFact } from "../view/path-event.ts";
import { decisionIn, shown } from "./decisions.ts";
import type { RecordedRun } from "./recorded-turns.ts";

/** Where a replay leaves the record. */
export interface Divergence {
  /** The recorded event, or the last one before. */
  readonly eventId: string;
  readonly turnId: string;
  /** Which answer of the turn, from 1; 0: before the first. */
  readonly step: number;
  /** `engine`: the loop decides otherwise. `calls`, `text`: another model answers otherwise. */
  readonly in: "engine" | "calls" | "text";
  readonly recorded: string;
  readonly replayed: string;
}

export type FactOf<T extends LoadedFact["type"]> = Extract<LoadedFact, { readonly type: T }>;

/** The record of one run, as the loop goes along it: each fact that the loop records is compared with the next one. */
export interface RunRecord {
  readonly match: (fact: DriverFact) => RecordedAt;
  readonly begin: (step: StepStart) => Omit<BegunStep, "before">;
  /** The next fact, other than results. */
  readonly next: () => LoadedEvent | null;
  /** The first fact of this type that is still to come before the model is asked for its next answer. */
  readonly ahead: <T extends LoadedFact["type"]>(type: T) => FactOf<T> | null;
  /** How the step ended; null: it did not. */
  readonly endOf: (stepId: string) => FactOf<"step.ended@1"> | null;
  /** What was said and called in the step, as its facts have it. */
  readonly saidBefore: (end: FactOf<"step.ended@1">) => {
    readonly texts: string[];
    readonly calls: ReadonlyMap<string, string>;
  };
  /** No step follows the one with this call. */
  readonly isLastOf: (callId: string) => boolean;
  /** Resolves when the end of the step is next: summaries of one compaction are asked for at the same time. */
  readonly untilEndOf: (stepId: string) => Promise<void>;
  readonly result: (callId: string) => LoadedEvent | null;
  /** The call's result came from the record. */
  readonly answered: (callId: string) => void;
  /** The results of the step that began last were recorded together with the next step: they came quickly. */
  readonly areTogether: () => boolean;
  /** Calls of the step that began last. */
  readonly callsOfStep: () => number;
  /** Steps begun and not yet streamed, oldest first. */
  readonly takeBegun: () => FactOf<"step.started@1"> | null;
  /** Ends the run here without a divergence, as the record has it. */
  readonly stop: () => never;
  readonly diverge: (recorded: string | null, replayed: string, where?: Divergence["in"]) => never;
  /** Facts that the loop did not record. */
  readonly rest: () => LoadedEvent | null;
  readonly isStopped: () => boolean;
  readonly divergence: () => Divergence | null;
  readonly steps: () => number;
}

export interface RunRecordOrder {
  readonly turnId: string;
  readonly run: RecordedRun;
  /** Of the turn's start, for a divergence before anything was recorded. */
  readonly startId: string;
  readonly stepsBefore: number;
  /** Texts of the turn's steering messages, by id. */
  readonly steers: ReadonlyMap<string, string>;
  readonly abort: (reason: Error) => void;
}

export function createRunRecord(order: RunRecordOrder): RunRecord {
  const { turnId, run, startId, stepsBefore, steers, abort } = order;
  const ordered = run.events.filter(({ fact }) => fact.type !== "tool.ended@1" && fact.type !== "turn.steered@1");
  const results = Map.groupBy(run.events.filter(isResult), ({ fact }) => callIdIn(fact));
  const begun: FactOf<"step.started@1">[] = [];
  const answered = new Set<string>();
  let at = 0;
  let steps = stepsBefore;
  let areTogether = false;
  let calls = 0;
  let isStopped = false;
  let divergence: Divergence | null = null;

  const over = (reason: Error): never => {
    abort(reason);
    throw reason;
  };
  const stop: RunRecord["stop"] = () => {
    isStopped = true;
    return over(new Error("the record ends here"));
  };
  const diverge: RunRecord["diverge"] = (recorded, replayed, where = "engine") => {
    const eventId = (recorded === null ? ordered[at - 1] : ordered[at])?.id ?? ordered.at(-1)?.id ?? startId;
    divergence ??= { eventId, turnId, step: steps, in: where, recorded: recorded ?? END[run.end.is], replayed };
    return over(new Error("diverged"));
  };
  const taken = (event: LoadedEvent): RecordedAt => {
    at += 1;
    return { id: event.id, seq: event.seq, at: event.at };
  };
  const matchNext = (fact: LoadedFact): RecordedAt => {
    const event = ordered[at];
    const replayed = decisionIn(fact);
    if (event === undefined) return run.end.is === "stopped" ? stop() : diverge(null, shown(replayed));
    const recorded = decisionIn(event.fact);
    return recorded === replayed ? taken(event) : diverge(shown(recorded, replayed), shown(replayed, recorded));
  };
  const matchResult = (fact: FactOf<"tool.ended@1">): RecordedAt => {
    const { callId } = fact.data;
    const event = results.get(callId)?.shift();
    const isAnswered = answered.has(callId);
    const replayed = decisionIn(fact, isAnswered);
    if (event === undefined) return run.end.is === "stopped" ? stop() : diverge(null, shown(replayed));
    const recorded = decisionIn(event.fact, isAnswered);
    if (recorded !== replayed) diverge(shown(recorded, replayed), shown(replayed, recorded));
    return { id: event.id, seq: event.seq, at: event.at };
  };

  return {
    match: (fact) => (fact.type === "tool.ended@1" ? matchResult(fact) : matchNext(fact)),
    begin: (step) => {
      const event = ordered[at];
      const fact = event?.fact.type === "step.started@1" ? event.fact : null;
      if (step.purpose === "answer") steps += 1;
      const taking = fact?.data.steers ?? [];
      const place = matchNext({ type: "step.started@1", data: { turnId, ...step, steers: taking } });
      if (fact !== null) begun.push(fact);
      if (fact?.data.purpose === "answer") {
        const { stepId } = fact.data;
        areTogether = togetherAfter(run.events, stepId);
        calls = endIn(ordered, stepId)?.data.parts.filter(({ kind }) => kind === "call").length ?? 0;
      }
      return { at: place, steers: taking.map((steerId) => ({ steerId, text: steers.get(steerId) ?? "" })) };
    },
    next: () => ordered[at] ?? null,
    ahead: <T extends LoadedFact["type"]>(type: T): FactOf<T> | null => {
      for (let index = at; index < ordered.length; index += 1) {
        const fact = ordered[index]?.fact;
        if (fact?.type === type) return fact as FactOf<T>;
        if (fact !== undefined && isAnswer(fact)) return null;
      }
      return null;
    },
    endOf: (stepId) => endIn(ordered, stepId),
    saidBefore: (end) => saidIn(ordered, end),
    isLastOf: (callId) => {
      const step = ordered.findLastIndex(({ fact }) => fact.type === "step.ended@1" && hasCall(fact, callId));
      return !ordered.slice(step + 1).some(({ fact }) => fact.type === "step.started@1");
    },
    untilEndOf: async (stepId) => {
      const isNext = () => {
        const fact = ordered[at]?.fact;
        return fact?.type !== "step.started@1" && (fact?.type !== "step.ended@1" || fact.data.stepId === stepId);
      };
      for (let ticks = 0; ticks < TICKS_MAX && !isNext(); ticks += 1) await setImmediate();
    },
    result: (callId) => results.get(callId)?.[0] ?? null,
    answered: (callId) => void answered.add(callId),
    areTogether: () => areTogether,
    callsOfStep: () => calls,
    takeBegun: () => begun.shift() ?? null,
    stop,
    diverge,
    rest: () => ordered[at] ?? [...results.values()].flat()[0] ?? null,
    isStopped: () => isStopped,
    divergence: () => divergence,
    steps: () => steps,
  };
}

/** Summaries begin together; a record in which they do not is no reason to wait for ever. */
const TICKS_MAX = 50;

const END = {
  completed: "the turn is completed",
  failed: "the turn has failed",
  parked: "the turn waits for a usage limit",
  stopped: "nothing more",
} as const;

/** Results that the loop recorded. `unknown` is what was noted when a turn ended without one. */
function isResult({ fact }: LoadedEvent): boolean {
  return fact.type === "tool.ended@1" && fact.data.outcome !== "unknown";
}

function callIdIn(fact: LoadedEvent["fact"]): string {
  return fact.type === "tool.ended@1" ? fact.data.callId : "";
}

function endIn(ordered: readonly LoadedEvent[], stepId: string): FactOf<"step.ended@1"> | null {
  const end = ordered.find(({ fact }) => fact.type === "step.ended@1" && fact.data.stepId === stepId)?.fact;
  return end?.type === "step.ended@1" ? end : null;
}

function hasCall({ data: { parts } }: FactOf<"step.ended@1">, callId: string): boolean {
  return parts.some((part) => part.kind === "call" && part.callId === callId);
}

function saidIn(ordered: readonly LoadedEvent[], end: FactOf<"step.ended@1">): ReturnType<RunRecord["saidBefore"]> {
  const { stepId } = end.data;
  const from = ordered.findIndex(({ fact }) => fact.type === "step.started@1" && fact.data.stepId === stepId);
  const to = ordered.findIndex(({ fact }) => fact.type === "step.ended@1" && fact.data.stepId === stepId);
  const texts: string[] = [];
  const calls = new Map<string, string>();
  for (const { fact } of ordered.slice(from + 1, to)) {
    if (fact.type === "message.completed@1") texts.push(fact.data.text);
    if (fact.type === "tool.called@1") calls.set(fact.data.callId, fact.data.input?.text ?? "");
  }
  return { texts, calls };
}

/** One append has one time. */
function togetherAfter(events: readonly LoadedEvent[], stepId: string): boolean {
  const from = events.findIndex(({ fact }) => fact.type === "step.started@1" && fact.data.stepId === stepId);
  const to = events.findIndex(({ fact }, index) => index > from && isAnswer(fact));
  const last = events.slice(from, Math.max(to, 0)).findLast(({ fact }) => fact.type === "tool.ended@1");
  return last !== undefined && last.at === events[to]?.at;
}

function isAnswer(fact: LoadedEvent["fact"]): boolean {
  return fact.type === "step.started@1" && fact.data.purpose === "answer";
}

import type { LoadedEvent } from "../../turns/index.ts";

/** A turn as the log has it: the runs of the loop that it took, each with what the loop recorded. */
export interface RecordedTurn {
  readonly turnId: string;
  /** Its start. */
  readonly event: LoadedEvent;
  /** Null: erased. */
  readonly prompt: string | null;
  /** The engine's own; false: a foreign agent's, or one that ended before its first step. */
  readonly isOwn: boolean;
  readonly runs: readonly RecordedRun[];
  readonly lastSeq: number;
  readonly isOver: boolean;
}

export interface RecordedRun {
  /** What the log has before this is known when the run begins. */
  readonly fromSeq: number;
  readonly isResumed: boolean;
  /** Facts of the loop and steering messages, in the order of the log. */
  readonly events: readonly LoadedEvent[];
  readonly end: RunEnd;
}

/** `stopped`: by something that is not in the loop's hands, such as an interrupt, a crash, or the end of what is replayed. */
export type RunEnd =
  | { readonly is: "completed" }
  | { readonly is: "failed"; readonly code: string }
  | { readonly is: "parked"; readonly waitMs: number }
  | { readonly is: "stopped" };

/** What only the engine's loop records. */
const OWN: ReadonlySet<string> = new Set([
  "step.started@1",
  "step.ended@1",
  "context.composed@1",
  "context.compacted@1",
  "context.branched@1",
]);
/** All that the loop records, and the messages that it takes up. */
const OF_LOOP: ReadonlySet<string> = new Set([
  ...OWN,
  "message.completed@1",
  "tool.called@1",
  "tool.ended@1",
  "usage.reported@1",
  "turn.steered@1",
]);

/** Failures that the loop itself decides on; every other one came from outside of it. */
const DECIDED: ReadonlySet<string> = new Set([
  ...["steps_exceeded", "model_refused", "model_auth", "model_billing", "quota_reached", "model_failed"],
  ...["model_unreachable", "model_overflow", "compaction_failed", "branch_summary_failed"],
]);

interface OpenRun {
  readonly fromSeq: number;
  readonly isResumed: boolean;
  readonly events: LoadedEvent[];
  end: RunEnd;
}

interface OpenTurn {
  readonly turnId: string;
  readonly event: LoadedEvent;
  readonly runs: OpenRun[];
  isOwn: boolean;
  isOver: boolean;
  lastSeq: number;
}

export function recordedTurns(events: readonly LoadedEvent[]): readonly RecordedTurn[] {
  const prompts = new Map<string, string>();
  const turns: OpenTurn[] = [];
  for (const event of events) {
    const { fact, seq } = event;
    if (fact.type === "turn.admitted@1") prompts.set(fact.data.turnId, fact.data.prompt);
    if (fact.type === "turn.started@1") {
      const { turnId } = fact.data;
      turns.push({ turnId, event, runs: [newRun(seq, false)], isOwn: false, isOver: false, lastSeq: seq });
    }
    const turn = turns.at(-1);
    if (turn !== undefined && !turn.isOver && turnIdIn(event) === turn.turnId) note(turn, event);
  }
  return turns.map((turn) => ({ ...turn, prompt: prompts.get(turn.turnId) ?? null }));
}

function note(turn: OpenTurn, event: LoadedEvent): void {
  const { fact, seq, at } = event;
  const run = turn.runs.at(-1);
  turn.lastSeq = seq;
  if (OWN.has(fact.type)) turn.isOwn = true;
  if (OF_LOOP.has(fact.type)) run?.events.push(event);
  else if (fact.type === "turn.resumed@1" || fact.type === "quota.reset@1") turn.runs.push(newRun(seq, true));
  else if (fact.type === "quota.reached@1" && run !== undefined)
    run.end = { is: "parked", waitMs: Date.parse(fact.data.until) - Date.parse(at) };
  else if (fact.type === "turn.ended@1") {
    turn.isOver = true;
    const { outcome, error } = fact.data;
    if (run?.end.is === "stopped") run.end = endOf(outcome, error?.code ?? "");
  }
}

function endOf(outcome: string, code: string): RunEnd {
  if (outcome === "completed") return { is: "completed" };
  return outcome === "failed" && DECIDED.has(code) ? { is: "failed", code } : { is: "stopped" };
}

function newRun(fromSeq: number, isResumed: boolean): OpenRun {
  return { fromSeq, isResumed, events: [], end: { is: "stopped" } };
}

function turnIdIn({ fact: { data } }: LoadedEvent): string | null {
  return "turnId" in data && typeof data.turnId === "string" ? data.turnId : null;
}

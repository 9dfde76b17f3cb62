import { createLoopGuard, type GuardLimits, type GuardVerdict, type LoopGuard } from "../view/loop-guard.ts";
import type { RunRecord } from "./run-record.ts";

export interface RecordedGuard extends LoopGuard {
  /** The recorded result without the guard's own words: the guard adds them again. */
  readonly plain: (tool: string, recorded: string) => string;
}

/**
 * The loop guard of a replay. It counts results in the order in which they come. Where several calls ran at the same time
 * that order is not recorded, so its notes are taken from the record there; what stops a turn is always decided anew.
 */
export function createRecordedGuard(
  record: RunRecord,
  limits: Pick<GuardLimits, "stepsMax" | "stepsBefore">,
): RecordedGuard {
  const guard = createLoopGuard(limits);
  const notes = new Map<string, (string | null)[]>();
  return {
    step: guard.step,
    plain: (tool, recorded) => {
      const note = NOTE.exec(recorded)?.[1] ?? null;
      const text = note === null ? recorded : recorded.slice(0, -note.length - 1);
      const key = keyOf(tool, text);
      notes.set(key, [...(notes.get(key) ?? []), note]);
      return text;
    },
    ended: (call): GuardVerdict => {
      const verdict = guard.ended(call);
      const note = notes.get(keyOf(call.name, call.output))?.shift();
      if (verdict.kind === "stop" || note === undefined || record.callsOfStep() < 2) return verdict;
      return note === null ? { kind: "go" } : { kind: "warn", note };
    },
  };
}

const NOTE = /\n(\[[^\n]{1,300}; try another way, or say what is in your way\])$/;

function keyOf(tool: string, text: string): string {
  return `${tool} ${text}`;
}

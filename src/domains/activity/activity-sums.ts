import type { Spent } from "../../kernel/index.ts";

/** Of whom a turn was. Null: erased, or not known. */
export interface TurnOrigin {
  readonly agent: string | null;
  readonly workspace: string | null;
  readonly model: string | null;
}

/** The turns of one origin that ended in one step of time. `spent` is null when no agent told anything: that is not 0. */
export interface ActivityPart extends TurnOrigin {
  readonly atMs: number;
  readonly turns: number;
  readonly spent: Spent | null;
}

export interface WorkedStep {
  readonly atMs: number;
  /** Divided by the step: how many sessions worked at once, on average. */
  readonly busyMs: number;
}

/** Sums over turns. They add up: two halves of a log give the same as the whole. */
export interface ActivitySums {
  readonly ended: (atMs: number, origin: TurnOrigin) => void;
  readonly told: (atMs: number, origin: TurnOrigin, spent: Spent) => void;
  readonly worked: (fromMs: number, toMs: number) => void;
  readonly parts: () => readonly ActivityPart[];
  readonly working: () => readonly WorkedStep[];
}

export interface ActivityRange {
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly stepMs: number;
}

export function createActivitySums({ sinceMs, untilMs, stepMs }: ActivityRange): ActivitySums {
  const parts = new Map<string, ActivityPart>();
  const working = new Map<number, number>();
  const stepOf = (ms: number): number => Math.floor(ms / stepMs) * stepMs;
  const add = (ms: number, origin: TurnOrigin, turns: number, spent: Spent | null): void => {
    const atMs = stepOf(ms);
    const key = JSON.stringify([atMs, origin.agent, origin.workspace, origin.model]);
    const before = parts.get(key) ?? { atMs, ...origin, turns: 0, spent: null };
    parts.set(key, { ...before, turns: before.turns + turns, spent: sumOf(before.spent, spent) });
  };
  return {
    ended: (atMs, origin) => add(atMs, origin, 1, null),
    told: (atMs, origin, spent) => add(atMs, origin, 0, spent),
    worked: (fromMs, toMs) => {
      const end = Math.min(toMs, untilMs);
      for (let from = Math.max(fromMs, sinceMs); from < end; ) {
        const atMs = stepOf(from);
        const to = Math.min(end, atMs + stepMs);
        working.set(atMs, (working.get(atMs) ?? 0) + to - from);
        from = to;
      }
    },
    parts: () => [...parts.values()].sort((one, other) => one.atMs - other.atMs),
    working: () => Array.from(working, ([atMs, busyMs]) => ({ atMs, busyMs })).sort((a, b) => a.atMs - b.atMs),
  };
}

function sumOf(one: Spent | null, other: Spent | null): Spent | null {
  if (one === null || other === null) return one ?? other;
  const { costMicroUsd: cost } = one;
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
    costMicroUsd:
      cost === null || other.costMicroUsd === null ? (cost ?? other.costMicroUsd) : cost + other.costMicroUsd,
  };
}

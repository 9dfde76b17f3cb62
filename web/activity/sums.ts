import type { OutputOf } from "../../src/client/index.ts";

type Activity = OutputOf<"system.activity">;
export type Part = Activity["parts"][number];
export type Worked = Activity["working"][number];

/** Null: no agent told it. That is not 0. */
export interface Total {
  readonly turns: number;
  readonly tokens: number | null;
  readonly costUsd: number | null;
}

export interface Named<T> {
  readonly name: string;
  readonly value: T;
}

export interface Range {
  readonly sinceMs: number;
  readonly untilMs: number;
}

const HOUR_MS = 3_600_000;
const HOURS = 24;

export function totalOf(parts: readonly Part[]): Total {
  let [turns, tokens, costUsd]: [number, number | null, number | null] = [0, null, null];
  for (const part of parts) {
    turns += part.turns;
    if (part.spent === undefined) continue;
    const { input, output, cacheRead, cacheWrite } = part.spent;
    tokens = (tokens ?? 0) + input + output + cacheRead + cacheWrite;
    if (part.spent.costUsd !== null) costUsd = (costUsd ?? 0) + part.spent.costUsd;
  }
  return { turns, tokens, costUsd };
}

/** The sums of each agent, workspace or model, the most expensive first. */
export function totalsBy(parts: readonly Part[], by: "agent" | "workspace" | "model"): readonly Named<Total>[] {
  return [...Map.groupBy(parts, (part) => part[by] ?? "")]
    .map(([name, own]) => ({ name, value: totalOf(own) }))
    .sort(({ value: one }, { value: other }) => {
      const byCost = (other.costUsd ?? 0) - (one.costUsd ?? 0);
      return byCost || (other.tokens ?? 0) - (one.tokens ?? 0) || other.turns - one.turns;
    });
}

/** The sums of each hour or day of the range, in the browser's time zone; also those without turns. */
export function totalsOver(parts: readonly Part[], range: Range, unit: "hour" | "day"): readonly Named<Total>[] {
  const own = Map.groupBy(parts, ({ at }) => placeOf(Date.parse(at), unit));
  return placesIn(range, unit).map((name) => ({ name, value: totalOf(own.get(name) ?? []) }));
}

/** Turns of each day and hour, by the clock of the browser's time zone. */
export function turnsByHour(
  parts: readonly Part[],
  range: Range,
): readonly { readonly name: string; readonly hours: readonly number[] }[] {
  const own = Map.groupBy(parts, ({ at }) => placeOf(Date.parse(at), "day"));
  return placesIn(range, "day").map((name) => {
    const hours = Array.from({ length: HOURS }, () => 0);
    for (const { at, turns } of own.get(name) ?? []) {
      const hour = new Date(at).getHours();
      hours[hour] = (hours[hour] ?? 0) + turns;
    }
    return { name, hours };
  });
}

/** How many sessions worked at once, on average, in steps of this length. */
export function workingOver(worked: readonly Worked[], range: Range, stepMs: number): readonly Named<number>[] {
  const first = Math.floor(range.sinceMs / stepMs) * stepMs;
  const count = Math.max(0, Math.ceil((range.untilMs - first) / stepMs));
  const sums = Array.from({ length: count }, () => 0);
  for (const { at, busyMs } of worked) {
    const slot = Math.floor((Date.parse(at) - first) / stepMs);
    if (slot >= 0 && slot < count) sums[slot] = (sums[slot] ?? 0) + busyMs;
  }
  return sums.map((busyMs, slot) => {
    const from = Math.max(range.sinceMs, first + slot * stepMs);
    const to = Math.min(range.untilMs, first + (slot + 1) * stepMs);
    const name = `${placeOf(from, "day")} ${new Date(from).toTimeString().slice(0, 5)}`;
    return { name, value: to > from ? busyMs / (to - from) : 0 };
  });
}

function placesIn({ sinceMs, untilMs }: Range, unit: "hour" | "day"): readonly string[] {
  const places = new Set<string>();
  // In hours also for days: a day of 23 or 25 hours is not skipped.
  for (let at = sinceMs; at < untilMs; at += HOUR_MS) places.add(placeOf(at, unit));
  if (untilMs > sinceMs) places.add(placeOf(untilMs - 1, unit));
  return [...places];
}

/** `05-31`, or `05-31 14:00`: in order of time, and short enough for a phone. */
function placeOf(ms: number, unit: "hour" | "day"): string {
  const date = new Date(ms);
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return unit === "day" ? day : `${day} ${two(date.getHours())}:00`;
}

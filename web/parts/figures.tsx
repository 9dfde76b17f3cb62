import { signal } from "@preact/signals";
import { serverNow } from "../live/index.ts";

const TICK = signal(0);
const TICK_MS = 5_000;
setInterval(() => {
  TICK.value += 1;
}, TICK_MS);

const AGES = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
] as const;

/** How long ago, by the daemon's clock; the exact time as a tip. */
export function Ago({ at }: { readonly at: string }) {
  TICK.value;
  const seconds = Math.max(0, Math.floor((serverNow() - Date.parse(at)) / 1000));
  const [size, unit] = AGES.find(([least]) => seconds >= least) ?? [1, "s"];
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {Math.floor(seconds / size)} {unit}
    </time>
  );
}

export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ["KB", "MB", "GB", "TB"];
  const at = Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10) - 1);
  const value = bytes / 1024 ** (at + 1);
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[at]}`;
}

export function countText(value: number): string {
  if (value >= 1_000_000) return `${(value / 1_000_000).toFixed(1)}M`;
  return value >= 1_000 ? `${(value / 1_000).toFixed(value >= 100_000 ? 0 : 1)}k` : String(value);
}

interface Spent {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly costUsd: number | null;
}

/** A dash: the agent reports nothing. */
export function tokensText(spent: Spent | undefined): string {
  return spent === undefined ? "–" : countText(spent.input + spent.output + spent.cacheRead + spent.cacheWrite);
}

export function costText(spent: Spent | undefined): string {
  const cost = spent?.costUsd ?? null;
  return cost === null ? "–" : `$${cost.toFixed(cost < 10 ? 2 : 0)}`;
}

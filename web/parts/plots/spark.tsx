import type { VNode } from "preact";
import { pathThrough, sparkPoints } from "./plot-geometry.ts";
import "./plots.css";

export interface SparkProps {
  /** What the values are: "tokens per minute". */
  readonly label: string;
  readonly values: readonly number[];
  readonly format?: (value: number) => string;
}

const [WIDTH, HEIGHT] = [100, 24];

/** A small line without axes: how something went lately. */
export function Spark({ label, values, format = String }: SparkProps): VNode {
  const points = sparkPoints(values, WIDTH, HEIGHT);
  const last = points.at(-1) ?? null;
  return (
    <svg
      class="plot spark"
      viewBox={`-3 -3 ${WIDTH + 6} ${HEIGHT + 6}`}
      role="img"
      aria-label={says(label, values, format)}
    >
      <path class="plot-line" d={pathThrough(points)} />
      {last !== null && <circle class="plot-dot" cx={last.x} cy={last.y} r="2.5" />}
    </svg>
  );
}

function says(label: string, values: readonly number[], format: (value: number) => string): string {
  const known = values.filter(Number.isFinite);
  const last = known.at(-1);
  if (last === undefined) return `${label}: no values`;
  const low = known.reduce((min, value) => Math.min(min, value), last);
  const high = known.reduce((max, value) => Math.max(max, value), last);
  return `${label}: now ${format(last)}, lowest ${format(low)}, highest ${format(high)}`;
}

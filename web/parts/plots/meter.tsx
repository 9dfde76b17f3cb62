import type { VNode } from "preact";
import { shareOf } from "./plot-geometry.ts";
import "./plots.css";

export interface MeterProps {
  readonly label: string;
  readonly value: number;
  /** What is full. */
  readonly max: number;
  readonly format?: (value: number) => string;
  /** Shares from which it is said to be high, and nearly full. */
  readonly warnAt?: number;
  readonly badAt?: number;
}

const WORDS = { good: "", warn: "high", bad: "nearly full" } as const;

/** How much of something is used: a bar, the figures, and a word where it gets tight. */
export function Meter({ label, value, max, format = String, warnAt = 0.75, badAt = 0.9 }: MeterProps): VNode {
  const share = shareOf(value, max);
  const standing = share >= badAt ? "bad" : share >= warnAt ? "warn" : "good";
  const text = `${format(value)} of ${format(max)}`;
  const word = WORDS[standing];
  return (
    <div class={`plot meter meter-${standing}`}>
      <meter class="plot-spoken" aria-label={label} min={0} max={max} value={share * max}>
        {text}
      </meter>
      <div class="meter-head">
        <span>{label}</span>
        <span class="meter-figures">
          {text}
          {word !== "" && <strong> {word}</strong>}
        </span>
      </div>
      <svg class="meter-plot" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect class="meter-whole" width="100" height="6" />
        <rect class="meter-part" width={share * 100} height="6" />
      </svg>
    </div>
  );
}

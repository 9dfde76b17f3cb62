import type { VNode } from "preact";
import { reachable } from "../reachable.ts";
import { heatLevel } from "./plot-geometry.ts";
import "./plots.css";

export interface HeatDay {
  readonly name: string;
  /** One value for each hour, from midnight. */
  readonly hours: readonly number[];
}

export interface HeatMapProps {
  /** What the values are: "turns". */
  readonly label: string;
  readonly days: readonly HeatDay[];
  readonly format?: (value: number) => string;
}

const HOURS = 24;
const LEVELS = [0, 1, 2, 3, 4];
const [CELL, GAP] = [16, 3];
const [LEFT, TOP] = [64, 18];
/** A year. */
const DAYS_MAX = 366;

/** When something happens: a row for each day, a cell for each hour. */
export function HeatMap({ label, days, format = String }: HeatMapProps): VNode {
  const shown = days.slice(-DAYS_MAX);
  const most = shown.flatMap(({ hours }) => hours).reduce((max, value) => Math.max(max, value || 0), 0);
  const [width, height] = [LEFT + HOURS * (CELL + GAP), TOP + shown.length * (CELL + GAP)];
  return (
    <figure class="plot heat">
      <figcaption class="bars-head">{label}</figcaption>
      <div class="heat-scroll" ref={(element) => reachable(element)}>
        <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          {[0, 6, 12, 18].map((hour) => (
            <text key={hour} class="plot-text" x={LEFT + hour * (CELL + GAP)} y={TOP - 6}>
              {`${String(hour).padStart(2, "0")}:00`}
            </text>
          ))}
          {shown.map(({ name, hours }, row) => (
            <g key={row} transform={`translate(0 ${TOP + row * (CELL + GAP)})`}>
              <text class="plot-text" x="0" y={CELL - 4}>
                {name}
              </text>
              {Array.from({ length: HOURS }, (_, hour) => (
                <rect
                  key={hour}
                  class={`heat-${heatLevel(hours[hour] ?? 0, most)}`}
                  x={LEFT + hour * (CELL + GAP)}
                  width={CELL}
                  height={CELL}
                  rx="3"
                >
                  <title>{`${name}, ${hour}:00: ${format(hours[hour] ?? 0)}`}</title>
                </rect>
              ))}
            </g>
          ))}
        </svg>
      </div>
      <ul class="plot-spoken" aria-label={label}>
        {shown.map((day, at) => (
          <li key={at}>{saysDay(day, format)}</li>
        ))}
      </ul>
      <p class="heat-legend" aria-hidden="true">
        less
        {LEVELS.map((level) => (
          <svg key={level} width={CELL} height={CELL} aria-hidden="true">
            <rect class={`heat-${level}`} width={CELL} height={CELL} rx="3" />
          </svg>
        ))}
        more
      </p>
    </figure>
  );
}

function saysDay({ name, hours }: HeatDay, format: (value: number) => string): string {
  const known = hours.map((value) => (Number.isFinite(value) ? value : 0));
  const sum = known.reduce((total, value) => total + value, 0);
  if (sum === 0) return `${name}: none`;
  const busiest = known.indexOf(known.reduce((max, value) => Math.max(max, value), 0));
  return `${name}: ${format(sum)}, most at ${busiest}:00 (${format(known[busiest] ?? 0)})`;
}

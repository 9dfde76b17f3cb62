import type { VNode } from "preact";
import { barBoxes, niceTop } from "./plot-geometry.ts";
import "./plots.css";

export interface Bar {
  readonly name: string;
  readonly value: number;
}

export interface BarsProps {
  /** What the values are: "tokens per day". */
  readonly label: string;
  readonly bars: readonly Bar[];
  readonly format?: (value: number) => string;
}

const [WIDTH, HEIGHT] = [600, 120];
/** Bars of less than a pixel say nothing: the last ones are shown. */
const BARS_MAX = 300;

/** Upright bars over time or by name, with a hidden table of the same values. */
export function Bars({ label, bars, format = String }: BarsProps): VNode {
  const shown = bars.slice(-BARS_MAX);
  const values = shown.map(({ value }) => value);
  const [first, last] = [shown[0], shown.at(-1)];
  return (
    <figure class="plot bars">
      <figcaption class="bars-head">
        <span>{label}</span>
        <span class="bars-top">{format(niceTop(values))}</span>
      </figcaption>
      <svg class="bars-plot" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <line class="plot-grid" x1="0" x2={WIDTH} y1="0.5" y2="0.5" />
        <line class="plot-grid" x1="0" x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} />
        {barBoxes(values, WIDTH, HEIGHT).map((box, at) => (
          <rect key={at} class="plot-bar" {...box}>
            <title>{`${shown[at]?.name}: ${format(shown[at]?.value ?? 0)}`}</title>
          </rect>
        ))}
        <line class="plot-ground" x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
      </svg>
      {first !== undefined && last !== undefined && (
        <div class="bars-foot" aria-hidden="true">
          <bdi>{first.name}</bdi>
          {shown.length > 1 && <bdi>{last.name}</bdi>}
        </div>
      )}
      <BarsTable label={label} bars={shown} format={format} />
    </figure>
  );
}

function BarsTable({ label, bars, format = String }: BarsProps): VNode {
  return (
    // A table cannot be made small, so a box hides it.
    <div class="plot-spoken">
      <table>
        <caption>{label}</caption>
        <tbody>
          {bars.map(({ name, value }, at) => (
            <tr key={at}>
              <th scope="row">{name}</th>
              <td>{format(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

import type { FigureResult, Result } from "./results.ts";

const WIDTH_PX = 640;
const LABEL_PX = 230;
const VALUE_PX = 60;
const BAR_PX = 14;
const ROW_PX = 24;
const TOP_PX = 28;
const COLOURS = { met: "#2e7d32", missed: "#c62828", open: "#607d8b", aim: "#111111" } as const;

/** One bar per figure: its ratio to the baseline on a logarithmic scale, and a line at its aim. */
export function plotOf({ benchmark, figures }: Result): string {
  const entries = Object.entries(figures);
  const marks = entries.flatMap(([, figure]) => [figure.ratio, ...(aimAsRatio(figure) ?? [])]);
  const x = logScale([...marks, 1].filter((mark) => mark > 0));
  const heightPx = TOP_PX + entries.length * ROW_PX + 8;
  const rows = entries.map(([name, figure], at) => row(name, figure, TOP_PX + at * ROW_PX, x));
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH_PX}" height="${heightPx}" viewBox="0 0 ${WIDTH_PX} ${heightPx}" font-family="sans-serif" font-size="12" role="img">`,
    `<title>${benchmark}: ratio to the baseline</title>`,
    `<rect width="${WIDTH_PX}" height="${heightPx}" fill="#ffffff"/>`,
    `<text x="8" y="18" font-weight="bold">${benchmark}: ratio to the baseline (dotted: 1x; stroke: aim)</text>`,
    line(x(1), TOP_PX, heightPx - 8, `stroke="${COLOURS.open}" stroke-dasharray="2 3"`),
    ...rows,
    "</svg>",
  ].join("\n")}\n`;
}

function row(name: string, figure: FigureResult, topPx: number, x: (ratio: number) => number): string {
  const colour = figure.met === null ? COLOURS.open : figure.met ? COLOURS.met : COLOURS.missed;
  const endPx = x(figure.ratio);
  const aims = (aimAsRatio(figure) ?? []).map((aim) =>
    line(x(aim), topPx - 2, topPx + BAR_PX + 2, `stroke="${COLOURS.aim}" stroke-width="2"`),
  );
  return [
    `<text x="8" y="${topPx + BAR_PX - 3}">${name}</text>`,
    `<rect x="${LABEL_PX}" y="${topPx}" width="${px(Math.max(1, endPx - LABEL_PX))}" height="${BAR_PX}" fill="${colour}"/>`,
    `<text x="${px(endPx + 6)}" y="${topPx + BAR_PX - 3}">${figure.ratio}x</text>`,
    ...aims,
  ].join("\n");
}

/** An aim as a value is shown as a ratio to this run's baseline. */
function aimAsRatio({ aim, baseline }: FigureResult): readonly number[] | null {
  if (aim === null) return null;
  const { valueAtMost, ratioAtMost, ratioAtLeast } = aim;
  const asRatio = valueAtMost === undefined ? undefined : valueAtMost / baseline.value;
  return [asRatio, ratioAtMost, ratioAtLeast].filter((ratio) => ratio !== undefined);
}

function logScale(marks: readonly number[]): (ratio: number) => number {
  const low = Math.log(Math.min(...marks) / 2);
  const high = Math.log(Math.max(...marks) * 1.2);
  const widthPx = WIDTH_PX - LABEL_PX - VALUE_PX;
  return (ratio) => LABEL_PX + ((Math.log(ratio) - low) / (high - low)) * widthPx;
}

function line(atPx: number, fromPx: number, toPx: number, style: string): string {
  return `<line x1="${px(atPx)}" x2="${px(atPx)}" y1="${fromPx}" y2="${toPx}" ${style}/>`;
}

function px(value: number): string {
  return value.toFixed(1);
}

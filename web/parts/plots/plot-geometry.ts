/** Pure geometry of the plots. Values that are no finite numbers count as gaps. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Points of a spark line in a box, one for each value; null for a gap. */
export function sparkPoints(values: readonly number[], width: number, height: number): readonly (Point | null)[] {
  const known = values.filter(Number.isFinite);
  const low = known.reduce((min, value) => Math.min(min, value), Number.POSITIVE_INFINITY);
  const high = known.reduce((max, value) => Math.max(max, value), Number.NEGATIVE_INFINITY);
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  return values.map((value, at) => {
    if (!Number.isFinite(value)) return null;
    // Halves, because the distance of two large numbers may be no number any more.
    const part = high > low ? (value / 2 - low / 2) / (high / 2 - low / 2) : 0.5;
    return { x: round(values.length > 1 ? at * step : width / 2), y: round(height - part * height) };
  });
}

/** An SVG path through the points, interrupted at gaps. */
export function pathThrough(points: readonly (Point | null)[]): string {
  let isOpen = false;
  const parts: string[] = [];
  for (const point of points) {
    if (point !== null) parts.push(`${isOpen ? "L" : "M"}${point.x} ${point.y}`);
    isOpen = point !== null;
  }
  return parts.join("");
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** One bar for each value, from the ground up. Values below zero have no height. */
export function barBoxes(values: readonly number[], width: number, height: number, gap = 0.2): readonly Box[] {
  const top = niceTop(values);
  const slot = values.length === 0 ? 0 : width / values.length;
  return values.map((value, at) => {
    const tall = Number.isFinite(value) && value > 0 ? (value / top) * height : 0;
    const box = { x: at * slot + (slot * gap) / 2, y: height - tall, width: slot * (1 - gap), height: tall };
    return { x: round(box.x), y: round(box.y), width: round(box.width), height: round(box.height) };
  });
}

/** The next 1, 2 or 5 with zeros at or above the largest value: the end of a scale. At least 1e-9, so that nothing divides by 0. */
export function niceTop(values: readonly number[]): number {
  const high = values.reduce((max, value) => (Number.isFinite(value) ? Math.max(max, value) : max), 0);
  if (high <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(high));
  const nice = [1, 2, 5, 10].map((step) => step * power).find((step) => step >= high);
  return Math.max(nice ?? high, 1e-9);
}

/** How dark a cell is, from 0 (nothing) to 4 (the most). By its share of the largest, on a scale that shows small values. */
export function heatLevel(value: number, most: number): 0 | 1 | 2 | 3 | 4 {
  if (!Number.isFinite(value) || value <= 0 || !(most > 0)) return 0;
  const part = Math.sqrt(Math.min(value, most) / most);
  return part > 0.75 ? 4 : part > 0.5 ? 3 : part > 0.25 ? 2 : 1;
}

/** The share of a whole, between 0 and 1. */
export function shareOf(value: number, whole: number): number {
  if (!Number.isFinite(value) || !(whole > 0)) return 0;
  return Math.min(1, Math.max(0, value / whole));
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

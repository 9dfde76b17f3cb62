import { cutTo, widthOf } from "./screen-text.ts";

/** How a column gives way on a narrow screen. Without it the column keeps its width. */
export interface Fit {
  /** Left out when there is no room: the highest number first. Without it the column stays. */
  readonly drop?: number;
  /** How its cells become shorter: a path from its beginning, a text between words, anything else at the end. */
  readonly shorten?: "path" | "words" | "end";
}

export interface FittedColumn {
  readonly at: number;
  readonly width: number;
}

export const GAP_COLUMNS = 2;
/** A shortened column is never narrower. */
const SHORT_COLUMNS_MIN = 14;

/**
 * The columns that fit and their widths; null when not even those that stay do. `cells` has the titles as its first row.
 * The last column may end early, so it is counted like the others.
 */
export function fitColumns(
  cells: readonly (readonly string[])[],
  fits: readonly (Fit | undefined)[],
  columns: number,
): readonly FittedColumn[] | null {
  const natural = fits.map((_fit, at) => Math.max(...cells.map((row) => widthOf(row[at] ?? ""))));
  const least = fits.map((fit, at) => Math.max(...cells.map((row) => leastOf(row[at] ?? "", fit?.shorten))));
  let kept = fits.map((_fit, at) => at);
  while (total(kept, least) > columns) {
    const [next] = kept.filter((at) => fits[at]?.drop !== undefined).sort((a, b) => rank(fits[b]) - rank(fits[a]));
    if (next === undefined) return null;
    kept = kept.filter((at) => at !== next);
  }
  let over = total(kept, natural) - columns;
  const widths = new Map(kept.map((at) => [at, natural[at] ?? 0]));
  while (over > 0) {
    const [widest] = kept
      .filter((at) => (widths.get(at) ?? 0) > (least[at] ?? 0))
      .sort((a, b) => (widths.get(b) ?? 0) - (widths.get(a) ?? 0));
    if (widest === undefined) break;
    widths.set(widest, (widths.get(widest) ?? 0) - 1);
    over -= 1;
  }
  return kept.map((at) => ({ at, width: widths.get(at) ?? 0 }));
}

/** The last part of a path and the first word of a text are never cut. */
function leastOf(cell: string, how: Fit["shorten"]): number {
  const width = widthOf(cell);
  if (how === undefined) return width;
  const whole = how === "path" ? `…/${cell.split("/").at(-1)}` : how === "words" ? `${cell.split(" ")[0]} …` : "";
  return Math.min(width, Math.max(SHORT_COLUMNS_MIN, widthOf(whole)));
}

function rank(fit: Fit | undefined): number {
  return fit?.drop ?? 0;
}

function total(kept: readonly number[], widths: readonly number[]): number {
  return kept.reduce((sum, at) => sum + (widths[at] ?? 0), GAP_COLUMNS * Math.max(0, kept.length - 1));
}

/** Shortens a cell without cutting a name in the middle, where that is possible. */
export function shortenTo(cell: string, width: number, how: Fit["shorten"]): string {
  if (widthOf(cell) <= width) return cell;
  if (how === "path") return shortPath(cell, width);
  if (how === "words") return shortText(cell, width);
  return cutTo(cell, width);
}

/** `/home/ann/work/nomos/src` -> `…/nomos/src` */
function shortPath(path: string, width: number): string {
  const parts = path.split("/");
  for (let from = 1; from < parts.length; from += 1) {
    const shorter = `…/${parts.slice(from).join("/")}`;
    if (widthOf(shorter) <= width) return shorter;
  }
  return cutTo(parts.at(-1) ?? path, width);
}

function shortText(text: string, width: number): string {
  const words = text.split(" ");
  for (let count = words.length - 1; count > 0; count -= 1) {
    const shorter = `${words.slice(0, count).join(" ")} …`;
    if (widthOf(shorter) <= width) return shorter;
  }
  return cutTo(text, width);
}

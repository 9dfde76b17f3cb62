import { harmless, inOneLine } from "../screen/harmless.ts";
import { bold, type Text } from "../screen/styled.ts";
import type { Terminal } from "../terminal.ts";
import { type Fit, type FittedColumn, fitColumns, GAP_COLUMNS, shortenTo } from "./fit-columns.ts";
import { cutTo, padTo, widthOf, wrap } from "./screen-text.ts";
import { withoutRuns } from "./without-runs.ts";

const GAP = " ".repeat(GAP_COLUMNS);
/** On a terminal only a column that gives way may be wider, so that a long cell cannot push the others off the screen. */
const CELL_COLUMNS_MAX = 40;

/**
 * A table with headings; each column is as wide as its widest cell, and one without any value is left out. On a terminal
 * columns give way as `fits` says; where they still do not fit, a row goes on in the next line.
 */
export function tableLines(
  terminal: Terminal,
  names: readonly string[],
  rows: readonly (readonly string[])[],
  fits: readonly (Fit | undefined)[] = [],
): readonly Text[] {
  const { isScreen, columns } = terminal;
  const filled = names.flatMap((_name, at) => (at === 0 || rows.some((row) => (row[at] ?? "") !== "") ? [at] : []));
  const shown = filled.map((at) => fits[at]);
  const clean = (cell: string, at: number): string =>
    isScreen && shown[at]?.shorten === undefined && at < filled.length - 1
      ? cutTo(oneLine(cell), CELL_COLUMNS_MAX)
      : oneLine(cell);
  const cells = [names, ...rows].map((row) => filled.map((at) => row[at] ?? "").map(clean));
  const room = isScreen ? columns : Number.POSITIVE_INFINITY;
  const fitted = fitColumns(cells, shown, room);
  const [head = [], ...body] =
    fitted === null
      ? cells.map((row) =>
          brokenRow(
            row.filter((_cell, at) => shown[at]?.drop === undefined),
            room,
          ),
        )
      : cells.map((row) => [alignedRow(row, fitted, shown)]);
  return [...head.map((line) => bold(line)), ...body.flat()];
}

function alignedRow(
  cells: readonly string[],
  fitted: readonly FittedColumn[],
  fits: readonly (Fit | undefined)[],
): string {
  return fitted
    .map(({ at, width }) => padTo(shortenTo(cells[at] ?? "", width, fits[at]?.shorten), width))
    .join(GAP)
    .trimEnd();
}

/** A row that does not fit goes on in the next line, between two cells; a cell that is too wide goes on between words. */
function brokenRow(cells: readonly string[], columns: number): readonly string[] {
  const lines: string[] = [];
  for (const cell of cells.filter((one) => one !== "")) {
    const last = lines.at(-1);
    const joined = last === undefined ? cell : `${last}${GAP}${cell}`;
    if (widthOf(joined) <= columns) lines.splice(-1, 1, joined);
    else
      lines.push(
        ...wrap(cell, columns - GAP.length).map((line, at) => (last === undefined && at === 0 ? line : GAP + line)),
      );
  }
  return lines;
}

const VALUE_COLUMNS_MIN = 20;

/** Names and values, values aligned. Further lines of a value are indented, so that none looks like a name. */
export function pairLines(
  { isScreen, columns }: Terminal,
  pairs: readonly (readonly [string, string])[],
): readonly string[] {
  const named = pairs.map(([name, value]) => [oneLine(name), withoutRuns(harmless(value))] as const);
  const width = Math.max(0, ...named.map(([name]) => widthOf(name))) + 2;
  const room = Math.max(VALUE_COLUMNS_MIN, columns - width);
  return named.flatMap(([name, value]) => {
    const [first = "", ...rest] = isScreen ? wrap(value, room) : value.split("\n");
    return [`${padTo(`${name}:`, width)}${first}`, ...rest.map((line) => " ".repeat(width) + line)].map((line) =>
      line.trimEnd(),
    );
  });
}

export function oneLine(text: string): string {
  return inOneLine(withoutRuns(harmless(text)));
}

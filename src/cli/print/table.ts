import { harmless, inOneLine } from "../screen/harmless.ts";
import { bold, type Text } from "../screen/styled.ts";
import type { Terminal } from "../terminal.ts";
import { cutTo, padTo, widthOf, wrap } from "./screen-text.ts";
import { withoutRuns } from "./without-runs.ts";

const GAP = "  ";
/** On a terminal only the last cell may be wider, so that a long one cannot push the others off the screen. */
const CELL_COLUMNS_MAX = 40;

/** A table with headings; each column is as wide as its widest cell. On a terminal lines are cut at its width. */
export function tableLines(
  terminal: Terminal,
  names: readonly string[],
  rows: readonly (readonly string[])[],
): readonly Text[] {
  const { isScreen, columns } = terminal;
  const last = names.length - 1;
  const fitted = (cell: string, at: number): string =>
    isScreen && at < last ? cutTo(oneLine(cell), CELL_COLUMNS_MAX) : oneLine(cell);
  const plain = rows.map((row) => row.map(fitted));
  const widths = names.map((name, at) => Math.max(name.length, ...plain.map((row) => widthOf(row[at] ?? ""))));
  const line = (cells: readonly string[]): string => {
    const text = cells.map((cell, at) => (at === last ? cell : padTo(cell, widths[at] ?? 0))).join(GAP);
    return isScreen ? cutTo(text.trimEnd(), columns) : text.trimEnd();
  };
  return [bold(line(names)), ...plain.map(line)];
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

import type { Terminal } from "../terminal.ts";
import { bold } from "./colour.ts";

const GAP = "  ";

/** Columns under their names, each as wide as its widest cell. On a screen a line is never longer than the screen. */
export function tableLines(
  terminal: Terminal,
  names: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const plain = rows.map((row) => row.map(oneLine));
  const widths = names.map((name, column) => Math.max(name.length, ...plain.map((row) => (row[column] ?? "").length)));
  const line = (cells: readonly string[]) =>
    cells.map((cell, column) => (column === names.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join(GAP);
  const fitted = (text: string) => (terminal.isScreen ? cut(text.trimEnd(), terminal.columns) : text.trimEnd());
  return [bold(terminal, fitted(line(names))), ...plain.map((row) => fitted(line(row)))];
}

/** Names and values, the values one below the other. */
export function pairLines(pairs: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(0, ...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${`${name}:`.padEnd(width + 1)} ${value}`.trimEnd());
}

export function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, " ⏎ ");
}

export function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

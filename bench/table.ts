import type { FigureResult, Result } from "./results.ts";

export const TABLE_HEAD = ["figure", "measured", "baseline", "ratio", "aim", ""] as const;

export interface TableLine {
  readonly cells: readonly string[];
  readonly figure: FigureResult;
  readonly name: string;
}

export function tableLines(results: readonly Result[]): readonly TableLine[] {
  return results.flatMap(({ figures }) =>
    Object.entries(figures).map(([name, figure]) => ({ name, figure, cells: cellsOf(name, figure) })),
  );
}

/** For the terminal: columns side by side, and skipped benchmarks below. */
export function summaryTable(results: readonly Result[]): string {
  const rows = [[...TABLE_HEAD], ...tableLines(results).map(({ cells }) => [...cells])];
  const widths = TABLE_HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const skipped = results.flatMap(({ benchmark, skipped }) =>
    skipped === null ? [] : [`${benchmark} skipped: ${skipped}`],
  );
  return [...lines, ...skipped].join("\n");
}

function cellsOf(name: string, figure: FigureResult): readonly string[] {
  const { value, unit, baseline, ratio, aim, met } = figure;
  return [
    name,
    `${spelled(value)} ${unit}`,
    `${spelled(baseline.value)} (${baseline.what})`,
    `${spelled(ratio)}x`,
    aim === null ? "" : spellAim(aim, unit),
    met === null ? "" : met ? "met" : "MISSED",
  ];
}

function spellAim(aim: NonNullable<FigureResult["aim"]>, unit: string): string {
  const parts = [
    aim.valueAtMost === undefined ? null : `<= ${spelled(aim.valueAtMost)} ${unit}`,
    aim.ratioAtMost === undefined ? null : `<= ${aim.ratioAtMost}x`,
    aim.ratioAtLeast === undefined ? null : `>= ${aim.ratioAtLeast}x`,
  ];
  return parts.filter((part) => part !== null).join(", ");
}

function spelled(value: number): string {
  return value.toLocaleString("en-US", { maximumSignificantDigits: 3 });
}

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { FINDINGS } from "./findings.ts";
import { plotOf } from "./plots.ts";
import { type Result, readResults } from "./results.ts";
import { TABLE_HEAD, type TableLine, tableLines } from "./table.ts";

const REPORT = join(import.meta.dirname, "..", "docs", "reference", "performance.md");

const PLOTS = join(dirname(REPORT), "plots");

/** Makes docs/reference/performance.md and its plots from bench/results. */
export function writeReport(): void {
  const results = readResults();
  rmSync(PLOTS, { recursive: true, force: true });
  mkdirSync(PLOTS);
  for (const result of results.filter(isMeasured)) writeFileSync(join(PLOTS, plotName(result)), plotOf(result));
  writeFileSync(REPORT, renderReport(results));
}

function isMeasured({ figures }: Result): boolean {
  return Object.keys(figures).length > 0;
}

function plotName({ benchmark }: Result): string {
  return `${benchmark}.svg`;
}

function renderReport(results: readonly Result[]): string {
  const lines = tableLines(results);
  return `${[
    "# Performance",
    "Written by `npm run bench` from `bench/results`; do not edit by hand.",
    METHOD,
    "## Machine",
    machines(results),
    "## Figures",
    markdownTable(lines),
    "What each figure is:",
    lines.map(({ name, figure }) => `- **${name}**: ${figure.what}${detailsOf(figure.details)}`).join("\n"),
    "## Plots",
    plots(results),
    "## Missed",
    missed(lines),
    ...skipped(results),
  ].join("\n\n")}\n`;
}

const METHOD = `Every figure stands beside a baseline that was measured in the same run, taking turns with it, so that whatever else the
machine was doing fell on both. Read the ratio first: it travels to other machines, the absolute number does not. A figure is
the median over its rounds unless it says p99. Logs are written by the same append path that sessions use; daemons are the
bundled product in processes of their own; clients and servers share the machine and speak over loopback. What was not
reached is said below, with what a profile showed.`;

function machines(results: readonly Result[]): string {
  const described = results.map(
    ({ machine, node }) =>
      `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.system}, ${machine.fileSystem}, Node ${node}`,
  );
  const dates = results.map(({ date }) => date.slice(0, 10)).sort();
  const loads = results.map(({ loadAverage }) => loadAverage).sort((a, b) => a - b);
  return [
    ...[...new Set(described)].map((machine) => `- ${machine}`),
    `- measured ${spanOf(dates)}, at a load average of ${spanOf(loads)} (the benchmarks' own load included)`,
  ].join("\n");
}

function spanOf(sorted: readonly (string | number)[]): string {
  const [first, last] = [sorted.at(0), sorted.at(-1)];
  return first === last ? `${first}` : `${first} to ${last}`;
}

function markdownTable(lines: readonly TableLine[]): string {
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [row(TABLE_HEAD), row(TABLE_HEAD.map(() => "---")), ...lines.map(({ cells }) => row(cells))].join("\n");
}

function detailsOf(details: Result["figures"][string]["details"]): string {
  const spelled = Object.entries(details).map(([name, value]) => `${name} ${value}`);
  return spelled.length === 0 ? "" : ` (${spelled.join(", ")})`;
}

function plots(results: readonly Result[]): string {
  return results
    .filter(isMeasured)
    .map((result) => `![${result.benchmark}](plots/${plotName(result)})`)
    .join("\n\n");
}

function missed(lines: readonly TableLine[]): string {
  const found = lines.filter(({ figure }) => figure.met === false);
  if (found.length === 0) return "Nothing.";
  return found.map(({ name }) => `- **${name}**: ${FINDINGS[name] ?? "not looked into yet."}`).join("\n");
}

function skipped(results: readonly Result[]): readonly string[] {
  const found = results.flatMap(({ benchmark, skipped: why }) => (why === null ? [] : [`- **${benchmark}**: ${why}`]));
  return found.length === 0 ? [] : ["## Not measured", found.join("\n")];
}

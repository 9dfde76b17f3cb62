import { toolTitle as titleOfTool } from "../../domains/index.ts";
import { memberOf } from "../../kernel/index.ts";
import { cutTo, wrap } from "../print/screen-text.ts";
import { spellDuration } from "../print/spell.ts";
import { harmless, inOneLine } from "../screen/harmless.ts";
import { bold, cyan, dim, green, joined, red, type Text } from "../screen/styled.ts";
import type { Terminal } from "../terminal.ts";
import { diffLines } from "./diff-lines.ts";

/** Lines shown of a tool's output and of a change; the log has all of it. */
const OUTPUT_LINES_SHOWN = 4;
const DIFF_LINES_SHOWN = 24;
const UNFOLDED_LINES_MAX = 400;

/** A tool call on one line: the action and its target. */
export function toolTitle(data: unknown): string {
  return oneLine(titleOfTool(data));
}

/** A shorter time says nothing. */
const TIME_SHOWN_MS = 1000;
const TIME_COLUMNS = 12;

export function toolHead(terminal: Pick<Terminal, "columns">, title: string, ms: number): Text {
  const time = ms >= TIME_SHOWN_MS ? ` · ${spellDuration(ms)}` : "";
  return joined(cyan("●"), " ", bold(cutTo(title, terminal.columns - 3 - (time === "" ? 0 : TIME_COLUMNS))), dim(time));
}

/** An output that was folded, in full. */
export function fullOutput(terminal: Pick<Terminal, "columns">, output: string): readonly Text[] {
  const lines = harmless(output).replace(/\n+$/, "").split("\n");
  const cut = lines.length - UNFOLDED_LINES_MAX;
  const shown = cut > 0 ? lines.slice(-UNFOLDED_LINES_MAX) : lines;
  return [
    ...(cut > 0 ? [dim(`  │ … ${cut} more lines; \`nomos logs\` has them`)] : []),
    ...shown.flatMap((line) => wrap(line, terminal.columns - 5)).map((line) => dim(`  │ ${line}`)),
  ];
}

/** The result of a tool call: nothing when it succeeded silently, otherwise its last lines. */
export function toolTail(terminal: Pick<Terminal, "columns">, data: unknown, output: string): readonly Text[] {
  const lines = harmless(output)
    .split("\n")
    .filter((line) => line.trim() !== "");
  const shown = lines.slice(-OUTPUT_LINES_SHOWN);
  const folded = lines.length - shown.length;
  const more = folded > 0 ? [dim(`  │ … ${folded} more line${folded === 1 ? "" : "s"}`)] : [];
  const tail = shown.map((line) => dim(`  │ ${cutTo(line, terminal.columns - 5)}`));
  return [...more, ...tail, ...failure(terminal, data)];
}

function failure(terminal: Pick<Terminal, "columns">, data: unknown): readonly Text[] {
  const outcome = memberOf(data, "outcome");
  if (outcome === undefined || outcome === "done") return [];
  const exit = memberOf(data, "exitCode");
  const message = memberOf(data, "message");
  const parts = [
    String(outcome),
    typeof exit === "number" ? `exit ${exit}` : "",
    typeof message === "string" ? message : "",
  ];
  return [red(`  ✗ ${cutTo(oneLine(parts.filter((part) => part !== "").join(", ")), terminal.columns - 5)}`)];
}

/** The changes a tool reported: added lines are green, removed ones red. */
export function diffOf(terminal: Pick<Terminal, "columns">, data: unknown): readonly Text[] {
  const diffs = memberOf(data, "diffs");
  return Array.isArray(diffs) ? diffs.flatMap((diff) => oneDiff(terminal, diff)) : [];
}

function oneDiff(terminal: Pick<Terminal, "columns">, diff: unknown): readonly Text[] {
  const text = (side: string): string => String(memberOf(memberOf(diff, side), "text") ?? "");
  const isWhole = ["before", "after"].every((side) => typeof memberOf(memberOf(diff, side), "blob") !== "string");
  const changed = isWhole ? diffLines(harmless(text("before")), harmless(text("after"))) : null;
  const path = `  ${oneLine(String(memberOf(diff, "path") ?? ""))}`;
  if (changed === null) return [bold(`${path} (a large change)`)];
  const paint = { "+": green, "-": red, " ": dim };
  const lines = changed
    .slice(0, DIFF_LINES_SHOWN)
    .map(({ sign, text: line }) => paint[sign](cutTo(`  ${sign} ${line}`, terminal.columns)));
  const folded = changed.length - lines.length;
  return [bold(path), ...lines, ...(folded > 0 ? [dim(`    … ${folded} more lines`)] : [])];
}

function oneLine(text: string): string {
  return inOneLine(harmless(text)).trim();
}

import { approvalLines } from "../questions/approval-lines.ts";
import type { Text } from "../screen/styled.ts";
import type { Terminal } from "../terminal.ts";
import { columnsOf, type Row } from "./columns.ts";
import { spell } from "./spell.ts";
import { oneLine, pairLines, tableLines } from "./table.ts";

/** Prints a syscall's answer for a person: lists as tables, content as it is, anything else as names and values. */
export function printOutput(terminal: Terminal, output: unknown): void {
  if (isRow(output) && typeof output["content"] === "string" && output["encoding"] !== undefined)
    terminal.printContent(
      output["encoding"] === "base64" ? Buffer.from(output["content"], "base64") : output["content"],
    );
  else for (const line of outputLines(terminal, output)) terminal.print(line);
}

/** The same as lines. */
export function outputLines(terminal: Terminal, output: unknown): readonly Text[] {
  if (!isRow(output)) return [spell(output)];
  const list = listIn(output);
  if (list !== null) return [...listLines(terminal, list.name, list.rows, output), ...problemLines(output)];
  return isDocument(output) ? output.text.trimEnd().split("\n") : pairLines(terminal, pairsOf(output));
}

function listLines(terminal: Terminal, name: string, rows: readonly Row[], output: Row): readonly Text[] {
  const { next } = output;
  const more = next === null || next === undefined ? [] : [`more: --after ${spell(next)}`];
  if (name === "lines") return [...rows.map(({ line }) => spell(line)), ...more];
  if (rows.length === 0) return [`No ${name}.`, ...more];
  if (name === "approvals" && terminal.isScreen) return [...approvalLines(terminal, rows), ...more];
  const columns = columnsOf(name, rows[0]);
  const names = columns.map(([title]) => title);
  const cells = rows.map((row) => columns.map(([, cell]) => cell(row)));
  const fits = columns.map(([, , fit]) => fit);
  return [...tableLines(terminal, names, cells, fits), ...more];
}

/** What a list could not show, a line each. */
function problemLines({ problems, faults }: Row): readonly Text[] {
  const told = [...(Array.isArray(problems) ? problems : []), ...(Array.isArray(faults) ? faults.map(faultOf) : [])];
  return told.map((problem) => `problem: ${oneLine(spell(problem))}`);
}

/** A file among others that cannot be read. */
function faultOf(fault: unknown): unknown {
  return isRow(fault) ? [fault["message"], fault["remedy"]].filter(Boolean).join(" ") : fault;
}

const BESIDE: readonly string[] = ["next", "id", "active", "default", "problems", "faults"];

/** Recognises the answer of a list: one member with rows, and at most some of `BESIDE`. */
function listIn(output: Row): { readonly name: string; readonly rows: readonly Row[] } | null {
  const others = Object.keys(output).filter((key) => !BESIDE.includes(key));
  const [name] = others;
  const rows = name === undefined ? undefined : output[name];
  if (others.length !== 1 || name === undefined || !Array.isArray(rows) || !rows.every(isRow)) return null;
  return { name, rows };
}

/** Recognises an answer that is one long text, such as a handoff: only the text is printed. */
function isDocument(output: Row): output is Row & { readonly text: string } {
  return typeof output["text"] === "string" && Object.keys(output).every((key) => key === "id" || key === "text");
}

/** Prints a nested object member by member, under its name. */
function pairsOf(output: Row): readonly (readonly [string, string])[] {
  return Object.entries(output).flatMap(([name, value]): readonly (readonly [string, string])[] =>
    isRow(value) && Object.keys(value).length > 0
      ? Object.entries(value).map(([inner, one]) => [`${name}.${inner}`, spell(one)])
      : [[name, spell(value)]],
  );
}

function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

import { approvalLines } from "../questions/approval-lines.ts";
import type { Terminal } from "../terminal.ts";
import { columnsOf, type Row } from "./columns.ts";
import { spell } from "./spell.ts";
import { pairLines, tableLines } from "./table.ts";

/** Prints a syscall's answer for a person: lists as tables, content as it is, anything else as names and values. */
export function printOutput(terminal: Terminal, output: unknown): void {
  const list = isRow(output) ? listIn(output) : null;
  if (!isRow(output)) terminal.print(spell(output));
  else if (list !== null) printList(terminal, list.name, list.rows, output);
  else if (typeof output["content"] === "string" && output["encoding"] !== undefined)
    terminal.printContent(
      output["encoding"] === "base64" ? Buffer.from(output["content"], "base64") : output["content"],
    );
  else if (isDocument(output)) for (const line of output.text.trimEnd().split("\n")) terminal.print(line);
  else for (const line of pairLines(terminal, pairsOf(output))) terminal.print(line);
}

function printList(terminal: Terminal, name: string, rows: readonly Row[], output: Row): void {
  if (name === "lines") for (const { line } of rows) terminal.print(spell(line));
  else if (rows.length === 0) terminal.print(`no ${name}`);
  else if (name === "approvals" && terminal.isScreen)
    for (const line of approvalLines(terminal, rows)) terminal.print(line);
  else {
    const columns = columnsOf(name, rows[0]);
    const cells = rows.map((row) => columns.map(([, cell]) => cell(row)));
    for (const line of tableLines(
      terminal,
      columns.map(([title]) => title),
      cells,
    ))
      terminal.print(line);
  }
  const { next } = output;
  if (next !== null && next !== undefined) terminal.print(`more: --after ${spell(next)}`);
}

/** Recognises the answer of a list: one member with rows, and at most an id, a cursor and the active row beside it. */
function listIn(output: Row): { readonly name: string; readonly rows: readonly Row[] } | null {
  const others = Object.keys(output).filter((key) => !["next", "id", "active"].includes(key));
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

import { bold, cyan, dim, green, joined, red, type Text, yellow } from "../screen/styled.ts";
import type { Terminal } from "../terminal.ts";
import { gitPatch, type ShownFile } from "./git-patch.ts";

const SIGNS: { readonly [change: string]: string } = { added: "A", changed: "M", deleted: "D", mode: "m" };

/** What a turn changed: one line per file, with its diff below; in a pipe a patch for `git apply`. */
export function printDiff(terminal: Terminal, output: unknown): void {
  const { turn, files } = output as { readonly turn: number; readonly files: readonly ShownFile[] };
  if (!terminal.isScreen) {
    printPatch(terminal, files);
    return;
  }
  if (files.length === 0) terminal.print(`turn ${turn} changed no files`);
  for (const file of files) {
    terminal.print(joined(bold(`${SIGNS[file.change] ?? "?"} ${file.path}`), dim(noteOf(file))));
    if (file.diff !== null) for (const line of file.diff.trimEnd().split("\n").slice(2)) terminal.print(coloured(line));
  }
}

function printPatch(terminal: Terminal, files: readonly ShownFile[]): void {
  const { text, left } = gitPatch(files);
  terminal.printContent(text);
  for (const { path, why } of left) terminal.complain(`warning: ${path} is not in the patch: ${why}`);
}

function noteOf({ kind, change, before, after, noDiff }: ShownFile): string {
  const notes = [
    kind === "file" ? null : kind,
    change === "mode" ? `${before?.mode} -> ${after?.mode}` : null,
    noDiff === null || noDiff === "no content" ? null : `${noDiff}, ${before?.size ?? 0} -> ${after?.size ?? 0} bytes`,
  ].filter((note) => note !== null);
  return notes.length === 0 ? "" : `  (${notes.join(", ")})`;
}

function coloured(line: string): Text {
  if (line.startsWith("+")) return green(line);
  if (line.startsWith("-")) return red(line);
  if (line.startsWith("@@")) return cyan(line);
  return line.startsWith("\\") ? yellow(line) : line;
}

import { useMemo } from "preact/hooks";
import { type CodeLine, mayHighlight } from "../code/code-lines.ts";
import { grammarOfFile } from "../code/languages.ts";
import { useParsed } from "../thread/use-parsed.ts";
import type { DiffFile, DiffLine } from "./parse-diff.ts";

/** The lines of a file in the colours of its language. Before they are known, and where there is none, as they stand. */
export function useDiffColors(file: DiffFile): (line: DiffLine) => CodeLine {
  const lines = useMemo(() => file.hunks.flatMap((hunk) => hunk.lines), [file]);
  const old = useSide(lines, "+", file.oldPath);
  const now = useSide(lines, "-", file.newPath);
  return (line) => (line.sign === "-" ? old : now).get(line) ?? [["", line.text]];
}

/** One side of a diff: all lines without those that only the other side has. */
function useSide(lines: readonly DiffLine[], other: "+" | "-", path: string | null): ReadonlyMap<DiffLine, CodeLine> {
  const side = useMemo(() => lines.filter(({ sign }) => sign !== other), [lines, other]);
  const text = useMemo(() => side.map((line) => line.text).join("\n"), [side]);
  const grammar = path === null ? null : grammarOfFile(path);
  const { value, isCurrent } = useParsed(
    grammar === null || !mayHighlight(text) ? null : ({ what: "code", text, grammar } as const),
  );
  return useMemo(() => {
    if (value === null || !isCurrent || value.length !== side.length) return new Map();
    return new Map(side.map((line, at) => [line, value[at] ?? [["", line.text]]]));
  }, [value, isCurrent, side]);
}

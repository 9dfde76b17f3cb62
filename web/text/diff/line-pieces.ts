import type { CodeLine } from "../code/code-lines.ts";
import type { Range } from "./changed-words.ts";

/** A piece of a line of a diff: its kind in the language, its text, and whether it is part of what changed. */
export interface MarkedPiece {
  readonly kind: string;
  readonly text: string;
  readonly isChanged: boolean;
}

/** Cuts the pieces of a line at the borders of its changed words. Joined they are the line. */
export function markedPieces(line: CodeLine, changed: readonly Range[]): readonly MarkedPiece[] {
  const pieces: MarkedPiece[] = [];
  let [at, next] = [0, 0];
  for (const [kind, text] of line) {
    const end = at + text.length;
    let from = at;
    while (from < end) {
      while (next < changed.length && (changed[next]?.[1] ?? 0) <= from) next += 1;
      const [start, stop] = changed[next] ?? [end, end];
      const isChanged = start <= from;
      const to = Math.min(end, isChanged ? stop : start);
      pieces.push({ kind, text: text.slice(from - at, to - at), isChanged });
      from = to;
    }
    at = end;
  }
  return pieces;
}

/** What a patch does to files, whichever format it was written in. */
export type FileChange =
  | { readonly kind: "add"; readonly path: string; readonly text: string }
  | { readonly kind: "delete"; readonly path: string }
  | {
      readonly kind: "update";
      readonly path: string;
      /** Null: it keeps its name. */
      readonly moveTo: string | null;
      readonly hunks: readonly Hunk[];
    };

export interface Hunk {
  /** The line of the patch where it begins, to name it. */
  readonly at: number;
  /** A line before it, such as a function's head, that tells apart places that look alike. */
  readonly header: string | null;
  /** Line number of its first old line, 1-based, as the patch says; it may be wrong. */
  readonly oldStart: number | null;
  readonly lines: readonly HunkLine[];
  /** The patch says that it stands at the end of the file. */
  readonly isAtEnd: boolean;
  /** Whether the file ends with a line end afterwards; null: as before. */
  readonly endsWithLineEnd: boolean | null;
}

export interface HunkLine {
  readonly kind: "keep" | "drop" | "add";
  readonly text: string;
}

export type ParsedPatch = { readonly changes: readonly FileChange[] } | { readonly problem: string };

/** A line of a hunk by its first character. Null: the hunk is over. */
export function hunkLine(line: string): HunkLine | null {
  // Editors and models drop the blank of an empty line that stays.
  if (line === "") return { kind: "keep", text: "" };
  const text = line.slice(1);
  switch (line[0]) {
    case " ":
      return { kind: "keep", text };
    case "-":
      return { kind: "drop", text };
    case "+":
      return { kind: "add", text };
    default:
      return null;
  }
}

/** Without empty lines at the end, which are of the patch's text rather than of the file. */
export function trimHunk(lines: readonly HunkLine[]): readonly HunkLine[] {
  const last = lines.findLastIndex(({ kind, text }) => kind !== "keep" || text !== "");
  return lines.slice(0, last + 1);
}

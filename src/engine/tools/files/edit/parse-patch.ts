import { plainLineEnds } from "../file-text.ts";
import { parseUnified } from "./parse-unified.ts";
import { type FileChange, type Hunk, type HunkLine, hunkLine, type ParsedPatch, trimHunk } from "./patch.ts";

/** Reads a patch: between `*** Begin Patch` and `*** End Patch`, or a unified diff. */
export function parsePatch(patch: string): ParsedPatch {
  const text = plainLineEnds(patch);
  const lines = text.split("\n");
  const parsed = /^\*\*\* (?:Begin Patch|(?:Update|Add|Delete) File:)/m.test(text)
    ? parseBlocks(lines)
    : parseUnified(lines);
  if ("problem" in parsed) return parsed;
  if (parsed.changes.length === 0) return { problem: `The patch changes no file. ${FORMAT}` };
  const paths = parsed.changes.flatMap((change) =>
    change.kind === "update" && change.moveTo !== null ? [change.path, change.moveTo] : [change.path],
  );
  const twice = paths.find((path, index) => paths.indexOf(path) !== index);
  return twice === undefined
    ? parsed
    : { problem: `The patch names ${twice} twice; put all its hunks into one section.` };
}

const FORMAT =
  "Write it as `*** Begin Patch`, then for each file `*** Update File: PATH` with hunks (`@@`, and lines that begin with a blank, `-` or `+`), `*** Add File: PATH` with `+` lines, or `*** Delete File: PATH`; then `*** End Patch`. A unified diff works too.";

const SECTION = /^\*\*\* (Update|Add|Delete) File: *(.+?) *$/;
const MOVE = /^\*\*\* Move to: *(.+?) *$/;

interface Section {
  readonly kind: string;
  readonly path: string;
  readonly at: number;
  readonly lines: string[];
}

function parseBlocks(lines: readonly string[]): ParsedPatch {
  const sections: Section[] = [];
  for (const [index, line] of lines.entries()) {
    if (/^\*\*\* Begin Patch/.test(line)) continue;
    if (/^\*\*\* End Patch/.test(line)) break;
    const [, kind, path] = SECTION.exec(line) ?? [];
    if (kind !== undefined && path !== undefined) sections.push({ kind, path, at: index + 2, lines: [] });
    else if (sections.length > 0) sections.at(-1)?.lines.push(line);
    else if (line.trim() !== "") return { problem: `Line ${index + 1} of the patch belongs to no file. ${FORMAT}` };
  }
  const changes: FileChange[] = [];
  for (const section of sections) {
    const change = parseSection(section);
    if ("problem" in change) return change;
    changes.push(change);
  }
  return { changes };
}

function parseSection({ kind, path, at, lines }: Section): FileChange | { readonly problem: string } {
  if (kind === "Delete") return { kind: "delete", path };
  if (kind === "Add") return parseAdded(path, at, lines);
  const [, moveTo = null] = MOVE.exec(lines[0] ?? "") ?? [];
  const skip = moveTo === null ? 0 : 1;
  const hunks = parseHunks(lines.slice(skip), at + skip);
  if ("problem" in hunks) return hunks;
  if (hunks.hunks.length === 0 && moveTo === null) return { problem: `The section of ${path} has no hunk. ${FORMAT}` };
  return { kind: "update", path, moveTo, hunks: hunks.hunks };
}

function parseAdded(path: string, at: number, lines: readonly string[]): FileChange | { readonly problem: string } {
  const last = lines.findLastIndex((line) => line !== "");
  const body = lines.slice(0, last + 1);
  const wrong = body.findIndex((line) => !line.startsWith("+"));
  if (wrong !== -1)
    return { problem: `Line ${at + wrong} of the patch: each line of the new file ${path} begins with "+".` };
  return { kind: "add", path, text: body.map((line) => `${line.slice(1)}\n`).join("") };
}

function parseHunks(lines: readonly string[], at: number): { hunks: readonly Hunk[] } | { readonly problem: string } {
  const hunks: Hunk[] = [];
  let open: { at: number; header: string | null; lines: HunkLine[]; isAtEnd: boolean } | null = null;
  const close = (): void => {
    const kept = open === null ? [] : trimHunk(open.lines);
    if (open !== null && kept.length > 0) hunks.push({ ...open, oldStart: null, lines: kept, endsWithLineEnd: null });
    open = null;
  };
  for (const [index, line] of lines.entries()) {
    if (line.startsWith("@@")) {
      close();
      open = { at: at + index, header: headerOf(line), lines: [], isAtEnd: false };
    } else if (/^\*\*\* End of File/.test(line)) {
      if (open !== null) open.isAtEnd = true;
      close();
    } else {
      const parsed = hunkLine(line);
      if (parsed === null)
        return {
          problem: `Line ${at + index} of the patch must begin with a blank (stays), "-" (goes) or "+" (comes).`,
        };
      open ??= { at: at + index, header: null, lines: [], isAtEnd: false };
      open.lines.push(parsed);
    }
  }
  close();
  return { hunks };
}

/** `@@ class A` names a line; `@@ -1,2 +1,2 @@` is out of place here and names nothing. */
function headerOf(line: string): string | null {
  const text = line.replace(/^@@ ?/, "").replace(/^-\d+(?:,\d+)? \+\d+(?:,\d+)? @@ ?/, "");
  const header = text.replace(/ ?@@$/, "");
  return header.trim() === "" ? null : header;
}

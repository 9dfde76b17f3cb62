import { lineEndOf } from "../file-text.ts";
import type { Hunk } from "./patch.ts";
import { similarLines } from "./similar-lines.ts";

/** Applies hunks in their order. Lines that stay are the file's own, also where the patch has other blanks. */
export function applyHunks(text: string, hunks: readonly Hunk[]): Patched {
  const file = splitLines(text);
  const result: FileLine[] = [];
  const lines: number[] = [];
  let from = 0;
  let endsWithLineEnd: boolean | null = null;
  for (const [index, hunk] of hunks.entries()) {
    const place = locate(file, hunk, from);
    if ("problem" in place)
      return { problem: `Hunk ${index + 1} of ${hunks.length} (line ${hunk.at} of the patch): ${place.problem}` };
    result.push(...file.slice(from, place.at));
    lines.push(result.length + 1);
    from = place.at;
    for (const line of hunk.lines) {
      if (line.kind === "add") result.push({ text: line.text, end: null });
      else {
        const own = file[from];
        if (line.kind === "keep" && own !== undefined) result.push(own);
        from += 1;
      }
    }
    endsWithLineEnd = hunk.endsWithLineEnd ?? endsWithLineEnd;
  }
  result.push(...file.slice(from));
  const isClosed = endsWithLineEnd ?? (text === "" || text.endsWith("\n"));
  return { text: joinLines(result, lineEndOf(text), isClosed), lines };
}

export type Patched =
  /** `lines`: where each hunk begins in the new text. */
  { readonly text: string; readonly lines: readonly number[] } | { readonly problem: string };

interface FileLine {
  readonly text: string;
  /** Null: a new line, which gets the line end of the file. */
  readonly end: string | null;
}

function splitLines(text: string): readonly FileLine[] {
  return (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line) => {
    const end = line.endsWith("\r\n") ? "\r\n" : line.endsWith("\n") ? "\n" : "";
    return { text: line.slice(0, line.length - end.length), end };
  });
}

function joinLines(lines: readonly FileLine[], usual: string, isClosed: boolean): string {
  return lines
    .map(({ text, end }, index) => {
      const own = end === null || end === "" ? usual : end;
      return index < lines.length - 1 || isClosed ? text + own : text;
    })
    .join("");
}

type Place = { readonly at: number } | { readonly problem: string };

function locate(file: readonly FileLine[], hunk: Hunk, from: number): Place {
  const start = afterHeader(file, hunk.header, from);
  if (start === null) return { problem: `the line "${hunk.header}" after @@ was not found.` };
  const old = hunk.lines.filter(({ kind }) => kind !== "add").map(({ text }) => text);
  if (old.length === 0) return { at: insertionPlace(file, hunk, { from, start }) };
  for (const same of [exactly, butBlanksAtTheEnd]) {
    const found = placesOf(file, old, { from: start, same });
    const place = choose(found, hunk, file.length - old.length);
    if (place !== null) return place;
  }
  const text = file.map((line) => line.text).join("\n");
  return { problem: `its lines were not found in the file. ${similarLines(text, old.join("\n"))}` };
}

/** Where to search: behind the line that the header names. */
function afterHeader(file: readonly FileLine[], header: string | null, from: number): number | null {
  if (header === null) return from;
  const wanted = header.trim();
  const at = file.findIndex(({ text }, index) => index >= from && text.trim() === wanted);
  const partly = at === -1 ? file.findIndex(({ text }, index) => index >= from && text.includes(wanted)) : at;
  // Models repeat the header as the first line of the hunk, so the search begins with it.
  return partly === -1 ? null : partly;
}

function insertionPlace(
  file: readonly FileLine[],
  { header, oldStart }: Hunk,
  at: { from: number; start: number },
): number {
  if (header !== null) return at.start + 1;
  if (oldStart === null) return file.length;
  return Math.min(Math.max(oldStart, at.from), file.length);
}

interface Sought {
  readonly from: number;
  readonly same: (a: string, b: string) => boolean;
}

function placesOf(file: readonly FileLine[], old: readonly string[], { from, same }: Sought): readonly number[] {
  const found: number[] = [];
  for (let at = from; at <= file.length - old.length; at++) {
    if (old.every((line, below) => same(file[at + below]?.text ?? "", line))) found.push(at);
  }
  return found;
}

/** Null when there is none. Of several the one nearest to where the patch says; without a number they are too many. */
function choose(found: readonly number[], hunk: Hunk, last: number): Place | null {
  const [first] = found;
  if (first === undefined) return null;
  if (hunk.isAtEnd && found.includes(last)) return { at: last };
  if (found.length === 1 || hunk.header !== null) return { at: first };
  if (hunk.oldStart === null) {
    const lines = found.slice(0, LINES_SHOWN_MAX).map((at) => at + 1);
    return {
      problem: `it fits at lines ${lines.join(", ")}. Add more lines around it, or a line after @@ that comes before it, such as the head of its function.`,
    };
  }
  const wanted = hunk.oldStart - 1;
  return { at: found.reduce((best, at) => (Math.abs(at - wanted) < Math.abs(best - wanted) ? at : best), first) };
}

const LINES_SHOWN_MAX = 10;

function exactly(a: string, b: string): boolean {
  return a === b;
}

function butBlanksAtTheEnd(a: string, b: string): boolean {
  return a.trimEnd() === b.trimEnd();
}

import { markInOld } from "../../shared/secret-marks.ts";
import { counted } from "../../shared/shown.ts";
import { lineEndOf, plainLineEnds } from "../file-text.ts";
import { similarLines } from "./similar-lines.ts";

export interface ExactEdit {
  readonly old: string;
  readonly new: string;
  readonly all?: boolean | undefined;
}

/**
 * All edits or none, one after another. Line ends count as equal, so that a model need not know them; those of lines
 * that no edit touches stay as they are.
 */
export function applyEdits(text: string, edits: readonly ExactEdit[]): Edited {
  let now = text;
  const lines: number[] = [];
  for (const [index, edit] of edits.entries()) {
    const step = applyEdit(now, edit);
    if ("problem" in step)
      return { problem: edits.length === 1 ? step.problem : `Edit ${index + 1} of ${edits.length}: ${step.problem}` };
    now = step.text;
    lines.push(...step.lines);
  }
  return { text: now, lines };
}

export type Edited =
  /** `lines`: where each replacement begins. */
  { readonly text: string; readonly lines: readonly number[] } | { readonly problem: string };

function applyEdit(raw: string, edit: ExactEdit): Edited {
  const wanted = plainLineEnds(edit.old);
  const next = plainLineEnds(edit.new);
  if (wanted === "")
    return { problem: "`old` is empty. Give the text to replace; to fill or replace a whole file use write." };
  if (wanted === next) return { problem: "`old` and `new` are the same, so there is nothing to change." };
  const text = plainLineEnds(raw);
  const found = occurrences(text, wanted);
  if (found.length === 0) return { problem: markInOld(wanted) ?? notFound(text, wanted) };
  const lines = lineNumbers(text, found);
  if (found.length > 1 && edit.all !== true) return { problem: foundOften(lines) };
  return { text: replaceAt(raw, text, { found, length: wanted.length, next }), lines };
}

function occurrences(text: string, wanted: string): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) found.push(at);
  return found;
}

/** Replaces in the text as it is in the file, at places found in the one with plain line ends. */
function replaceAt(
  raw: string,
  text: string,
  place: { found: readonly number[]; length: number; next: string },
): string {
  const next = lineEndOf(raw) === "\r\n" ? place.next.replaceAll("\n", "\r\n") : place.next;
  const rawPlace = rawPlaces(raw, text);
  const parts: string[] = [];
  let from = 0;
  for (const at of place.found) {
    parts.push(raw.slice(from, rawPlace(at)), next);
    from = rawPlace(at + place.length);
  }
  return parts.join("") + raw.slice(from);
}

/** Maps rising places of the plain text to places of the raw one: each CRLF before adds one character. */
function rawPlaces(raw: string, text: string): (at: number) => number {
  if (raw.length === text.length) return (at) => at;
  let [plain, added] = [0, 0];
  return (at) => {
    for (;;) {
      const end = text.indexOf("\n", plain);
      if (end === -1 || end >= at) return at + added;
      if (raw[end + added] === "\r") added += 1;
      plain = end + 1;
    }
  };
}

function lineNumbers(text: string, places: readonly number[]): readonly number[] {
  let [line, from] = [1, 0];
  return places.map((at) => {
    for (let end = text.indexOf("\n", from); end !== -1 && end < at; end = text.indexOf("\n", from)) {
      line += 1;
      from = end + 1;
    }
    return line;
  });
}

function foundOften(lines: readonly number[]): string {
  const shown = lines.slice(0, LINES_SHOWN_MAX).join(", ");
  const rest = lines.length > LINES_SHOWN_MAX ? `, and ${lines.length - LINES_SHOWN_MAX} more` : "";
  return `\`old\` is there ${counted(lines.length, "time")} (lines ${shown}${rest}). Add more context to make it unique, or set all: true to replace each.`;
}

const LINES_SHOWN_MAX = 20;

function notFound(text: string, wanted: string): string {
  const unnumbered = wanted.replaceAll(/^ *\d+\t/gm, "");
  if (unnumbered !== wanted && unnumbered !== "" && text.includes(unnumbered))
    return "`old` was not found, because it begins with the line numbers that read shows. Leave out each number and the tab behind it.";
  return `\`old\` was not found. ${similarLines(text, wanted)}`;
}

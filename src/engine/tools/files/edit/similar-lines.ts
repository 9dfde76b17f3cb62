import { likeness } from "../../shared/closest-names.ts";
import { cutChars } from "../../shared/shown.ts";

/** Why a text was not found, as far as that can be told: the lines that look most like it, with their numbers. */
export function similarLines(text: string, wanted: string): string {
  const lines = text.split("\n");
  const block = trimBlank(wanted.split("\n"));
  if (block.length === 0) return "It has nothing but blanks; give a text that can be recognised.";
  const loose = findLoosely(lines, block);
  if (loose !== null)
    return `Lines ${loose + 1}-${loose + block.length} differ from it only in whitespace (tabs, blanks, indentation). The file has:\n${numbered(lines, loose, block.length)}`;
  const near = nearest(lines, block);
  if (near.length === 0) return "No line looks like it. Read the file again: it may have changed.";
  const shown = near.map((at) => numbered(lines, Math.max(0, at - 1), block.length + 2));
  return `The most similar lines are:\n${shown.join("\n--\n")}\nCopy the text exactly as it is in the file.`;
}

const CANDIDATES_MAX = 3;
const LIKENESS_MIN = 0.5;
/** Comparing is work for each line; a large file is searched only for differences in whitespace. */
const COMPARED_LINES_MAX = 50_000;
const BLOCK_LINES_MAX = 12;
const LINE_CHARS_MAX = 300;

function trimBlank(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  const last = lines.findLastIndex((line) => line.trim() !== "");
  return first === -1 ? [] : lines.slice(first, last + 1);
}

function findLoosely(lines: readonly string[], block: readonly string[]): number | null {
  const wanted = block.map(squeezed);
  const [head = ""] = wanted;
  const squeezedLines = lines.map(squeezed);
  const at = squeezedLines.findIndex(
    (line, index) => line === head && wanted.every((want, below) => squeezedLines[index + below] === want),
  );
  return at === -1 ? null : at;
}

function squeezed(line: string): string {
  return line.replaceAll(/\s+/g, "");
}

/** Where the block could begin, by its longest line: that one says the most. */
function nearest(lines: readonly string[], block: readonly string[]): readonly number[] {
  if (lines.length > COMPARED_LINES_MAX) return [];
  const longest = block.reduce(
    (best, line, index) => (line.trim().length > (block[best]?.trim().length ?? 0) ? index : best),
    0,
  );
  const wanted = (block[longest] ?? "").trim().slice(0, LINE_CHARS_MAX);
  return lines
    .map((line, index) => ({ at: index, score: likeness(line.trim().slice(0, LINE_CHARS_MAX), wanted) }))
    .filter(({ score }) => score >= LIKENESS_MIN)
    .sort((a, b) => b.score - a.score || a.at - b.at)
    .slice(0, CANDIDATES_MAX)
    .map(({ at }) => Math.max(0, at - longest))
    .sort((a, b) => a - b)
    .filter((at, index, all) => at !== all[index - 1]);
}

function numbered(lines: readonly string[], from: number, count: number): string {
  return lines
    .slice(from, from + Math.min(count, BLOCK_LINES_MAX))
    .map((line, index) => `${from + index + 1}\t${cutChars(line, LINE_CHARS_MAX)}`)
    .join("\n");
}

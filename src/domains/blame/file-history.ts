import { matchLines } from "./line-diff.ts";

/** Who wrote a line: a turn, by its place in a list; a person; or somebody before the session. */
export type Writer = number;
export const PERSON: Writer = -1;
export const BEFORE: Writer = -2;
/** No version of the file has the line. */
export const UNKNOWN: Writer = -3;

/** The lines of a file at one moment, each with its writer. */
export interface FileVersion {
  readonly lines: readonly string[];
  readonly writers: Int32Array;
}

export function firstVersion(lines: readonly string[], writer: Writer): FileVersion {
  return { lines, writers: new Int32Array(lines.length).fill(writer) };
}

/**
 * The next version: lines that stay keep their writer, new ones are of `writer`. Content that was there before, as after
 * a restore or `git checkout`, has the writers that it had then.
 */
export function nextVersion(known: readonly FileVersion[], lines: readonly string[], writer: Writer): FileVersion {
  const last = known.at(-1);
  if (last === undefined) return firstVersion(lines, writer);
  for (let at = known.length - 2; at >= 0; at -= 1) {
    const one = known[at];
    if (one !== undefined && isSame(one.lines, lines)) return one;
  }
  const pairs = matchLines(last.lines, lines);
  return { lines, writers: pairs.map((at) => (at < 0 ? writer : (last.writers[at] ?? writer))) };
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, at) => line === b[at]);
}

/**
 * The writers of a committed file. It need not equal any version: others' lines were merged into it, or it was committed
 * in the middle of a turn. So each line is looked for in the newest version first, then in older ones.
 */
export function writersOf(versions: readonly FileVersion[], lines: readonly string[]): Int32Array {
  const writers = new Int32Array(lines.length).fill(UNKNOWN);
  for (let at = versions.length - 1; at >= 0; at -= 1) {
    const version = versions[at];
    if (version === undefined) continue;
    const pairs = matchLines(version.lines, lines);
    for (let line = 0; line < lines.length; line += 1) {
      const pair = pairs[line] ?? -1;
      if (writers[line] === UNKNOWN && pair >= 0) writers[line] = version.writers[pair] ?? UNKNOWN;
    }
    if (!writers.includes(UNKNOWN)) break;
  }
  return writers;
}

/** Which lines are in none of the parents: those that `git blame` finds in the commit. */
export function addedLines(parents: readonly (readonly string[])[], lines: readonly string[]): readonly boolean[] {
  const pairs = parents.map((parent) => matchLines(parent, lines));
  return lines.map((_line, at) => pairs.every((one) => (one[at] ?? -1) < 0));
}

/** The part of the lines that two files share, from 0 to 1. */
export function likeness(a: readonly string[], b: readonly string[]): number {
  const longer = Math.max(a.length, b.length);
  if (longer === 0) return 0;
  const counts = new Map<string, number>();
  for (const line of a) counts.set(line, (counts.get(line) ?? 0) + 1);
  let shared = 0;
  for (const line of b) {
    const left = counts.get(line) ?? 0;
    if (left > 0) shared += 1;
    counts.set(line, left - 1);
  }
  return shared / longer;
}

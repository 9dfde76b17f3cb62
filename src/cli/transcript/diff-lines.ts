export interface DiffLine {
  readonly sign: "+" | "-" | " ";
  readonly text: string;
}

/** Longer texts are not compared line by line. */
const LINES_MAX = 400;
const CONTEXT = 2;

/** The changed lines between two texts, with some context. Null when the texts are too long to compare here. */
export function diffLines(before: string, after: string): readonly DiffLine[] | null {
  const [old, now] = [linesOf(before), linesOf(after)];
  if (old.length > LINES_MAX || now.length > LINES_MAX) return null;
  return nearChanges(walk(old, now));
}

function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

/** Keeps the longest common subsequence; all other lines were removed or added. */
function walk(old: readonly string[], now: readonly string[]): readonly DiffLine[] {
  const common: number[][] = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1) {
      const row = common[i];
      if (row !== undefined) row[j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ sign: " ", text: old[i] ?? "" });
      i += 1;
      j += 1;
    } else if (j >= now.length || (i < old.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ sign: "-", text: old[i] ?? "" });
      i += 1;
    } else {
      lines.push({ sign: "+", text: now[j] ?? "" });
      j += 1;
    }
  }
  return lines;
}

function nearChanges(lines: readonly DiffLine[]): readonly DiffLine[] {
  const isNear = (at: number): boolean =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ sign }) => sign !== " ");
  return lines.filter((_line, at) => isNear(at));
}

/** Lines of context around a change. */
const CONTEXT = 3;
/** The most edits to search for; beyond this the middle is shown as replaced. */
const EDITS_MAX = 1500;

interface Edit {
  readonly what: " " | "-" | "+";
  readonly line: string;
}

/** A unified diff of two texts; a missing side is `/dev/null`. Null when they are equal. */
export function unifiedDiff(before: string, after: string, from: string | null, to: string | null): string | null {
  const edits = editsOf(linesOf(before), linesOf(after));
  const hunks = hunksOf(edits);
  if (hunks.length === 0 && from !== null && to !== null) return null;
  return [`--- ${from ?? "/dev/null"}`, `+++ ${to ?? "/dev/null"}`, ...hunks, ""].join("\n");
}

/** Each with its line end, so that a last line without a newline differs from one with it. */
function linesOf(text: string): string[] {
  return text === "" ? [] : (text.match(/[^\n]*\n|[^\n]+$/g) ?? []);
}

function editsOf(a: readonly string[], b: readonly string[]): readonly Edit[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const same = (line: string): Edit => ({ what: " ", line });
  return [
    ...a.slice(0, start).map(same),
    ...shortest(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same),
  ];
}

/** Myers' greedy algorithm: the furthest point on each diagonal for each number of edits, then the path back. */
function shortest(a: readonly string[], b: readonly string[]): readonly Edit[] {
  const whole: readonly Edit[] = [
    ...a.map((line): Edit => ({ what: "-", line })),
    ...b.map((line): Edit => ({ what: "+", line })),
  ];
  if (a.length === 0 || b.length === 0) return whole;
  const max = Math.min(a.length + b.length, EDITS_MAX);
  const furthest = new Int32Array(2 * max + 3);
  const trail: Int32Array[] = [];
  const zero = max + 1;
  for (let d = 0; d <= max; d += 1) {
    trail.push(furthest.slice(zero - d - 1, zero + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const down = furthest[zero + k + 1] ?? 0;
      const right = (furthest[zero + k - 1] ?? 0) + 1;
      let x = k === -d || (k !== d && (furthest[zero + k - 1] ?? 0) < down) ? down : right;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      furthest[zero + k] = x;
      if (x >= a.length && x - k >= b.length) return wayBack(a, b, trail);
    }
  }
  return whole;
}

function wayBack(a: readonly string[], b: readonly string[], trail: readonly Int32Array[]): readonly Edit[] {
  const edits: Edit[] = [];
  let [x, y] = [a.length, b.length];
  for (let d = trail.length - 1; d >= 0; d -= 1) {
    const before = trail[d];
    const at = (k: number): number => before?.[k + d + 1] ?? 0;
    const k = x - y;
    const isDown = k === -d || (k !== d && at(k - 1) < at(k + 1));
    const fromK = isDown ? k + 1 : k - 1;
    const fromX = d === 0 ? 0 : at(fromK);
    const fromY = d === 0 ? 0 : fromX - fromK;
    while (x > fromX && y > fromY) {
      x -= 1;
      y -= 1;
      edits.push({ what: " ", line: a[x] ?? "" });
    }
    if (d === 0) break;
    if (isDown) edits.push({ what: "+", line: b[fromY] ?? "" });
    else edits.push({ what: "-", line: a[fromX] ?? "" });
    [x, y] = [fromX, fromY];
  }
  return edits.reverse();
}

function hunksOf(edits: readonly Edit[]): readonly string[] {
  const text: string[] = [];
  let [oldAt, newAt] = [1, 1];
  for (let at = 0; at < edits.length; ) {
    let next = at;
    while (next < edits.length && edits[next]?.what === " ") next += 1;
    if (next === edits.length) break;
    const from = Math.max(at, next - CONTEXT);
    oldAt += from - at;
    newAt += from - at;
    let [end, quiet] = [next, 0];
    while (end < edits.length && quiet <= 2 * CONTEXT) {
      quiet = edits[end]?.what === " " ? quiet + 1 : 0;
      end += 1;
    }
    end -= Math.max(0, quiet - CONTEXT);
    const hunk = edits.slice(from, end);
    const oldLines = hunk.filter(({ what }) => what !== "+").length;
    const newLines = hunk.filter(({ what }) => what !== "-").length;
    text.push(`@@ -${rangeOf(oldAt, oldLines)} +${rangeOf(newAt, newLines)} @@`);
    for (const { what, line } of hunk) {
      text.push(line.endsWith("\n") ? what + line.slice(0, -1) : `${what}${line}\n\\ No newline at end of file`);
    }
    oldAt += oldLines;
    newAt += newLines;
    at = end;
  }
  return text;
}

function rangeOf(at: number, lines: number): string {
  const first = lines === 0 ? at - 1 : at;
  return lines === 1 ? String(first) : `${first},${lines}`;
}

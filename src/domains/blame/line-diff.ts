/** The most edits to search for; beyond that only lines that are unique on both sides are paired. */
const EDITS_MAX = 800;

/** For each line of `after` the line of `before` that it is, or -1. Pairs are equal lines, in order. */
export function matchLines(before: readonly string[], after: readonly string[]): Int32Array {
  const pairs = new Int32Array(after.length).fill(-1);
  match({ before, after, pairs }, [0, before.length], [0, after.length]);
  return pairs;
}

interface Texts {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly pairs: Int32Array;
}
type Range = readonly [from: number, to: number];

function match(texts: Texts, [aFrom, aTo]: Range, [bFrom, bTo]: Range): void {
  const { before, after, pairs } = texts;
  let [a, b, aEnd, bEnd] = [aFrom, bFrom, aTo, bTo];
  for (; a < aEnd && b < bEnd && before[a] === after[b]; a += 1, b += 1) pairs[b] = a;
  for (; aEnd > a && bEnd > b && before[aEnd - 1] === after[bEnd - 1]; aEnd -= 1, bEnd -= 1) pairs[bEnd - 1] = aEnd - 1;
  if (a === aEnd || b === bEnd) return;
  if (shortest(texts, [a, aEnd], [b, bEnd])) return;
  const anchors = uniqueAnchors(texts, [a, aEnd], [b, bEnd]);
  if (anchors.length === 0) return;
  let [lastA, lastB] = [a, b];
  for (const [atA, atB] of anchors) {
    pairs[atB] = atA;
    match(texts, [lastA, atA], [lastB, atB]);
    [lastA, lastB] = [atA + 1, atB + 1];
  }
  match(texts, [lastA, aEnd], [lastB, bEnd]);
}

/** Myers' greedy algorithm: the furthest point on each diagonal for each number of edits. False when there are too many. */
function shortest({ before, after, pairs }: Texts, [aFrom, aTo]: Range, [bFrom, bTo]: Range): boolean {
  const [n, m] = [aTo - aFrom, bTo - bFrom];
  const max = Math.min(n + m, EDITS_MAX);
  if (Math.abs(n - m) > max) return false;
  const furthest = new Int32Array(2 * max + 3);
  const zero = max + 1;
  const trail: Int32Array[] = [];
  for (let d = 0; d <= max; d += 1) {
    trail.push(furthest.slice(zero - d - 1, zero + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const down = furthest[zero + k + 1] ?? 0;
      const right = (furthest[zero + k - 1] ?? 0) + 1;
      let x = k === -d || (k !== d && right <= down) ? down : right;
      while (x < n && x - k < m && before[aFrom + x] === after[bFrom + x - k]) x += 1;
      furthest[zero + k] = x;
      if (x >= n && x - k >= m) {
        wayBack(pairs, trail, [n, m], [aFrom, bFrom]);
        return true;
      }
    }
  }
  return false;
}

function wayBack(pairs: Int32Array, trail: readonly Int32Array[], [n, m]: Range, [aFrom, bFrom]: Range): void {
  let [x, y] = [n, m];
  for (let d = trail.length - 1; d >= 0; d -= 1) {
    const at = (k: number): number => trail[d]?.[k + d + 1] ?? 0;
    const k = x - y;
    const isDown = k === -d || (k !== d && at(k - 1) + 1 <= at(k + 1));
    const fromX = d === 0 ? 0 : at(isDown ? k + 1 : k - 1);
    const fromY = d === 0 ? 0 : fromX - (isDown ? k + 1 : k - 1);
    while (x > fromX && y > fromY) {
      x -= 1;
      y -= 1;
      pairs[bFrom + y] = aFrom + x;
    }
    [x, y] = [fromX, fromY];
  }
}

/** Lines that are there once on each side, as far as they keep their order. */
function uniqueAnchors({ before, after }: Texts, [aFrom, aTo]: Range, [bFrom, bTo]: Range): readonly Range[] {
  const places = once(before, aFrom, aTo);
  const others = once(after, bFrom, bTo);
  const candidates: Range[] = [];
  for (let b = bFrom; b < bTo; b += 1) {
    const a = places.get(after[b] ?? "");
    if (a !== undefined && a >= 0 && others.get(after[b] ?? "") === b) candidates.push([a, b]);
  }
  return longestRise(candidates);
}

/** The place of each line; -1 for one that is there several times. */
function once(lines: readonly string[], from: number, to: number): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (let at = from; at < to; at += 1) found.set(lines[at] ?? "", found.has(lines[at] ?? "") ? -1 : at);
  return found;
}

/** The longest part whose first numbers rise; the second ones rise already. */
function longestRise(pairs: readonly Range[]): readonly Range[] {
  const tops: number[] = [];
  const previous = new Int32Array(pairs.length).fill(-1);
  pairs.forEach(([a], at) => {
    let [low, high] = [0, tops.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[tops[middle] ?? 0]?.[0] ?? 0) < a) low = middle + 1;
      else high = middle;
    }
    previous[at] = low === 0 ? -1 : (tops[low - 1] ?? -1);
    tops[low] = at;
  });
  const rise: Range[] = [];
  for (let at = tops.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) rise.push(pairs[at] ?? [0, 0]);
  return rise.reverse();
}

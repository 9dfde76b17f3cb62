import { CONFLICT_LIMITS, type CollidingLines, type LineRange, matchLines } from "../../../domains/index.ts";

/** One changed place: lines `before` became lines `after`; a length of 0 is a pure addition or removal. */
interface Hunk {
  readonly before: Span;
  readonly after: Span;
}

/** From 1. With no lines, `from` is the line before. */
interface Span {
  readonly from: number;
  readonly count: number;
}

/** Which lines of two texts collide. `base`: null when both added the file. */
export function collidingLines(base: string | null, ours: string, theirs: string): readonly CollidingLines[] {
  if (base === null)
    return hunksOf(ours, theirs)
      .slice(0, CONFLICT_LIMITS.lines.max)
      .map(({ before, after }) => ({ a: lines(before), b: lines(after) }));
  return overlay(hunksOf(base, ours), hunksOf(base, theirs)).slice(0, CONFLICT_LIMITS.lines.max);
}

function hunksOf(from: string, to: string): readonly Hunk[] {
  const [before, after] = [linesOf(from), linesOf(to)];
  const found: Hunk[] = [];
  let [a, b] = [0, 0];
  const addHunk = (untilA: number, untilB: number): void => {
    if (untilA > a || untilB > b) found.push({ before: spanOf(a, untilA), after: spanOf(b, untilB) });
    [a, b] = [untilA + 1, untilB + 1];
  };
  matchLines(before, after).forEach((pair, at) => {
    if (pair >= 0) addHunk(pair, at);
  });
  addHunk(before.length, after.length);
  return found;
}

/** Each with its line end, so that a last line without one differs from the same line with it. */
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** Lines counted from 0, `until` exclusive. */
function spanOf(from: number, until: number): Span {
  return { from: until > from ? from + 1 : from, count: until - from };
}

/** Changes of both sides that touch or overlap in the base, as git judges them, in the lines of each side. */
function overlay(mine: readonly Hunk[], others: readonly Hunk[]): readonly CollidingLines[] {
  const all = [
    ...mine.map((hunk) => ({ hunk, isMine: true })),
    ...others.map((hunk) => ({ hunk, isMine: false })),
  ].toSorted((x, y) => startOf(x.hunk.before) - startOf(y.hunk.before));
  const found: CollidingLines[] = [];
  let group: (typeof all)[number][] = [];
  let end = -1;
  const settle = (): void => {
    const [a, b] = [true, false].map((isMine) =>
      group.filter((one) => one.isMine === isMine).map(({ hunk }) => hunk.after),
    );
    if (a !== undefined && b !== undefined && a.length > 0 && b.length > 0) found.push({ a: hull(a), b: hull(b) });
    group = [];
  };
  for (const one of all) {
    if (startOf(one.hunk.before) > end) settle();
    group.push(one);
    end = Math.max(group.length === 1 ? -1 : end, endOf(one.hunk.before));
  }
  settle();
  return found;
}

/** Where a span begins and ends between the lines of the base, counted from 0. */
const startOf = ({ from, count }: Span): number => (count === 0 ? from : from - 1);
const endOf = ({ from, count }: Span): number => (count === 0 ? from : from - 1 + count);

function lines({ from, count }: Span): LineRange {
  const first = Math.max(1, from);
  return { from: first, to: Math.max(first, from + count - 1) };
}

function hull(spans: readonly Span[]): LineRange {
  const all = spans.map(lines);
  return { from: Math.min(...all.map(({ from }) => from)), to: Math.max(...all.map(({ to }) => to)) };
}

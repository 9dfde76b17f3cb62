import { CONFLICT_LIMITS, type CollidingLines, type LineRange } from "../../../domains/index.ts";
import type { RepositoryView } from "../../git/repository-view.ts";

const DIFF_TIMEOUT_MS = 10_000;

/** One changed place: lines `before` became lines `after`; a length of 0 is a pure addition or removal. */
export interface Hunk {
  readonly before: Span;
  readonly after: Span;
}

/** From 1. With no lines, `from` is the line before. */
interface Span {
  readonly from: number;
  readonly count: number;
}

/** Which lines of the two files collide, given the ids of base, ours and theirs. */
export async function collidingLines(
  view: Pick<RepositoryView, "git">,
  [base, ours, theirs]: readonly [string | null, string | null, string | null],
): Promise<readonly CollidingLines[]> {
  if (ours === null || theirs === null) return [];
  if (base === null) {
    const hunks = await hunksOf(view, ours, theirs);
    return hunks
      .slice(0, CONFLICT_LIMITS.lines.max)
      .map(({ before, after }) => ({ a: lines(before), b: lines(after) }));
  }
  const [mine, others] = [await hunksOf(view, base, ours), await hunksOf(view, base, theirs)];
  return overlay(mine, others).slice(0, CONFLICT_LIMITS.lines.max);
}

async function hunksOf({ git }: Pick<RepositoryView, "git">, from: string, to: string): Promise<readonly Hunk[]> {
  const args = ["diff", "--no-color", "--no-ext-diff", "--no-textconv", "-U0", from, to];
  const told = (await git.must(args, { timeoutMs: DIFF_TIMEOUT_MS })).toString("latin1");
  return [...told.matchAll(/^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm)].map(([, a, b, c, d]) => ({
    before: { from: Number(a), count: b === undefined ? 1 : Number(b) },
    after: { from: Number(c), count: d === undefined ? 1 : Number(d) },
  }));
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

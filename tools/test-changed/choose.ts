import { posix } from "node:path";

export interface Candidate {
  readonly project: string;
  readonly path: string;
  readonly seconds: number;
}

export interface Chosen {
  readonly run: readonly Candidate[];
  /** They reach the change as well and had no room. */
  readonly leftOut: readonly Candidate[];
}

/** Behind everything that an import reaches: a test of the whole daemon that has a word of the changed path in its name. */
const BY_NAME = 1000;
const SHORT_WORD = 3;

/**
 * The tests closest to a change until `budgetS` seconds are full: changed tests, tests of the same folder, tests by
 * their distance in imports, tests of the whole daemon by name. Of equally close ones the shortest come first.
 */
export function chooseTests(
  changed: readonly string[],
  candidates: readonly Candidate[],
  distances: ReadonlyMap<string, number>,
  budgetS: number,
): Chosen {
  const close = candidates
    .map((candidate) => ({ candidate, closeness: closenessOf(candidate.path, changed, distances) }))
    .filter(({ closeness }) => Number.isFinite(closeness))
    .toSorted((a, b) => a.closeness - b.closeness || a.candidate.seconds - b.candidate.seconds);
  const run: Candidate[] = [];
  const leftOut: Candidate[] = [];
  let leftS = budgetS;
  for (const { candidate, closeness } of close)
    if (closeness === 0 || candidate.seconds <= leftS) {
      run.push(candidate);
      leftS -= candidate.seconds;
    } else leftOut.push(candidate);
  return { run, leftOut };
}

function closenessOf(test: string, changed: readonly string[], distances: ReadonlyMap<string, number>): number {
  if (changed.includes(test)) return 0;
  const folder = posix.dirname(test);
  if (changed.some((path) => posix.dirname(path) === folder && !path.endsWith(".test.ts"))) return 1;
  const distance = distances.get(test);
  if (distance !== undefined) return 1 + distance;
  const words = new Set(changed.filter((path) => path.startsWith("src/")).flatMap(wordsOf));
  return wordsOf(posix.basename(test, ".test.ts")).some((word) => words.has(word)) ? BY_NAME : Number.POSITIVE_INFINITY;
}

/** Singular, so that `worktrees.test.ts` belongs to `remove-worktree.ts`. */
function wordsOf(path: string): readonly string[] {
  const words = path.toLowerCase().match(/[a-z]+/g) ?? [];
  return words.map((word) => word.replace(/s$/, "")).filter((word) => word.length > SHORT_WORD);
}

import type { GitRunner } from "../git/run-git.ts";
import { emptyTree, treeDifferences } from "../git/tree-diff.ts";

/** How the commits of work stand to a branch. It never changes for the same commits. */
export interface Standing {
  readonly head: string | null;
  /** The newest commit that both have; null: they have none. */
  readonly base: string | null;
  /** Commits that only the work has, and those that only the branch has; null when that cannot be known. */
  readonly ahead: number | null;
  readonly behind: number | null;
  /** Paths that the work's commits changed since. `isNew`: the common commit has no such file. */
  readonly committed: readonly { readonly path: string; readonly isNew: boolean }[];
  /** Blobs of paths that changed on the branch since; null: it is gone there. */
  readonly onBranch: ReadonlyMap<string, string | null>;
}

export interface Commits {
  readonly head: string | null;
  /** Where the branch is. */
  readonly tip: string | null;
  /** Compared with when the branch and the work have no commit in common. */
  readonly otherwise: string | null;
}

export async function standingOf(git: GitRunner, { head, tip, otherwise }: Commits): Promise<Standing> {
  const base = (await commonCommit(git, tip, head)) ?? otherwise;
  const before = base ?? (await emptyTree(git));
  const [far, own, theirs] = await Promise.all([
    distance(git, tip, head),
    head === null || head === base ? [] : treeDifferences(git, before, head),
    tip === null || tip === base ? [] : treeDifferences(git, before, tip),
  ]);
  const onBranch = new Map(theirs.map(({ path, after }) => [path, after?.id ?? null]));
  return {
    head,
    base,
    ...far,
    committed: own.map(({ path, before: was }) => ({ path, isNew: was === null })),
    onBranch,
  };
}

const REMEMBERED_MAX = 64;

/** Remembers what cannot change, for work that is measured again and again. */
export function createStandings(): (git: GitRunner, commits: Commits) => Promise<Standing> {
  const known = new Map<string, Standing>();
  return async (git, commits) => {
    const key = [commits.head, commits.tip, commits.otherwise].join(" ");
    const found = known.get(key) ?? (await standingOf(git, commits));
    known.delete(key);
    // What a shallow history did not tell may be known later.
    if (found.base !== null && found.ahead !== null) known.set(key, found);
    for (const oldest of [...known.keys()].slice(0, Math.max(0, known.size - REMEMBERED_MAX))) known.delete(oldest);
    return found;
  };
}

/** Null too when a shallow history does not reach far enough to know. */
async function commonCommit(git: GitRunner, tip: string | null, head: string | null): Promise<string | null> {
  if (tip === null || head === null) return null;
  if (tip === head) return head;
  const { exitCode, stdout } = await git.run(["merge-base", tip, head]);
  return exitCode === 0 ? (stdout.toString().split("\n")[0] ?? "") : null;
}

async function distance(
  git: GitRunner,
  tip: string | null,
  head: string | null,
): Promise<Pick<Standing, "ahead" | "behind">> {
  const unknown = { ahead: null, behind: null };
  if (tip === null || head === null) return unknown;
  if (tip === head) return { ahead: 0, behind: 0 };
  const { exitCode, stdout } = await git.run(["rev-list", "--left-right", "--count", `${head}...${tip}`]);
  const [ahead = Number.NaN, behind = Number.NaN] = stdout.toString().trim().split("\t").map(Number);
  return exitCode === 0 ? { ahead, behind } : unknown;
}

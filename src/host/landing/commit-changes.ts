import type { GitRunner } from "../git/run-git.ts";
import { type Entry, emptyTree, type TreeDifference, treeDifferences } from "../git/tree-diff.ts";
import { HostError } from "../host-error.ts";
import { mergeTrees } from "./merge-trees.ts";

/** Something that a commit, or the landing as a whole, does to a path. */
export interface LandedChange extends TreeDifference {
  /** Null: the files as they will be on the branch. */
  readonly commit: string | null;
}

export interface ChangeRange {
  readonly tip: string;
  readonly commit: string;
  /** The person's commit that the session began with. What it holds is theirs. */
  readonly userBase: string | null;
}

const ENTRIES_MAX = 1_000_000;
const LIST_TIMEOUT_MS = 120_000;

/**
 * What the branch gets: the difference of its files, and of every new commit, so that none can hide anything. `attributes`:
 * the folder with those of the branch, which say how files are merged.
 */
export async function landedChanges(
  git: GitRunner,
  range: ChangeRange,
  attributes: string,
): Promise<readonly LandedChange[]> {
  const { tip, commit, userBase } = range;
  const found: LandedChange[] = [];
  const add = (from: string | null, changes: readonly TreeDifference[]): void => {
    if (found.length + changes.length > ENTRIES_MAX) throw tooMany();
    for (const change of changes) found.push({ ...change, commit: from });
  };
  const whole = await treeDifferences(git, `${tip}^{tree}`, `${commit}^{tree}`);
  add(null, userBase === null ? whole : await notOf(git, { tip, commit, userBase }, whole));
  for (const one of await newCommits(git, range)) add(one, await changesOf(git, one, attributes));
  return found;
}

/**
 * Leaves out what the person did before the session began and the branch does not have: files that they changed since
 * their history left the branch, and that the session kept as they were. Everything else is the session's, also a file
 * that it set back to an older state.
 */
async function notOf(
  git: GitRunner,
  { tip, commit, userBase }: ChangeRange & { readonly userBase: string },
  whole: readonly TreeDifference[],
): Promise<readonly TreeDifference[]> {
  if ((await git.run(["cat-file", "-e", `${userBase}^{commit}`])).exitCode !== 0) return whole;
  const left = await git.run(["merge-base", tip, userBase]);
  const fork = left.stdout.toString().trim();
  if (left.exitCode !== 0 || fork === userBase) return whole;
  const [own, since] = await Promise.all([
    treeDifferences(git, `${userBase}^{tree}`, `${commit}^{tree}`),
    treeDifferences(git, `${fork}^{tree}`, `${userBase}^{tree}`),
  ]);
  const changed = new Set(own.map(({ path }) => path));
  const theirs = new Set(since.map(({ path }) => path));
  return whole.filter(({ path }) => changed.has(path) || !theirs.has(path));
}

/** Newest first. Commits that the person had at the session's base are theirs. */
async function newCommits(git: GitRunner, { tip, commit, userBase }: ChangeRange): Promise<readonly string[]> {
  const known = userBase !== null && (await git.run(["cat-file", "-e", `${userBase}^{commit}`])).exitCode === 0;
  const args = ["rev-list", commit, `^${tip}`, ...(known ? [`^${userBase}`] : [])];
  return (await git.text(args, { timeoutMs: LIST_TIMEOUT_MS })).split("\n").filter(Boolean);
}

async function changesOf(git: GitRunner, commit: string, attributes: string): Promise<readonly TreeDifference[]> {
  const parents = (await git.text(["rev-parse", `${commit}^@`])).split("\n").filter(Boolean);
  if (parents.length === 0) return treeDifferences(git, await emptyTree(git), `${commit}^{tree}`);
  const [first = [], ...others] = await Promise.all(
    parents.map((parent) => treeDifferences(git, `${parent}^{tree}`, `${commit}^{tree}`)),
  );
  if (others.length === 0) return first;
  const inAll = others.map((changes) => new Set(changes.map(({ path }) => path)));
  const own = first.filter(({ path }) => inAll.every((paths) => paths.has(path)));
  const known = new Set(own.map(({ path }) => path));
  return [...own, ...(await unlikeGit(git, commit, parents, attributes)).filter(({ path }) => !known.has(path))];
}

/**
 * What a merge has otherwise than git would have merged its parents: it may take the older side of a file, and so take a
 * change back that neither side did. Where git finds a conflict, whoever merges decides.
 */
async function unlikeGit(
  git: GitRunner,
  commit: string,
  [first = commit, ...others]: readonly string[],
  attributes: string,
): Promise<readonly TreeDifference[]> {
  const open = new Set<string>();
  let ours = first;
  let tree = `${first}^{tree}`;
  for (const theirs of others) {
    const merged = await mergeTrees(git, ours, theirs, attributes);
    if ("unrelated" in merged) return [];
    if ("conflicts" in merged) for (const path of merged.conflicts) open.add(path);
    tree = "tree" in merged ? merged.tree : merged.marked;
    if (theirs !== others.at(-1))
      ours = await git.text(["commit-tree", tree, "-p", ours, "-p", theirs, "-m", "merged"], { identity: NOBODY });
  }
  return (await treeDifferences(git, tree, `${commit}^{tree}`)).filter(({ path }) => !open.has(path));
}

const NOBODY = { name: "Nomos", email: "nomos@localhost" } as const;

/** Sizes of blobs. A submodule's commit is not there and has none. */
export async function blobSizes(git: GitRunner, entries: readonly Entry[]): Promise<ReadonlyMap<string, number>> {
  const ids = [...new Set(entries.map(({ id }) => id))];
  if (ids.length === 0) return new Map();
  const told = await git.text(["cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)"], {
    input: ids.map((id) => `${id}\n`).join(""),
    timeoutMs: LIST_TIMEOUT_MS,
  });
  return new Map(
    told.split("\n").flatMap((line) => {
      const [id = "", type, size] = line.split(" ");
      return type === "blob" ? [[id, Number(size)] as const] : [];
    }),
  );
}

/** Lines that the branch gains and loses; binary files count for none. */
export async function lineCounts(
  git: GitRunner,
  from: string,
  to: string,
): Promise<{ readonly files: number; readonly added: number; readonly removed: number }> {
  const told = (await git.must(["diff-tree", "-r", "-z", "--numstat", "--no-renames", from, to])).toString();
  const sums = { files: 0, added: 0, removed: 0 };
  for (const line of told.split("\0").filter(Boolean)) {
    const [added = "", removed = ""] = line.split("\t");
    sums.files += 1;
    sums.added += Number(added) || 0;
    sums.removed += Number(removed) || 0;
  }
  return sums;
}

function tooMany(): HostError {
  return new HostError("tree_too_large", `the commits change more than ${ENTRIES_MAX} files`, {
    remedy: "land with `--squash`, or split the work",
    details: { max: ENTRIES_MAX },
  });
}

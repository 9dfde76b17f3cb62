import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { RepositoryView } from "../git/repository-view.ts";
import { emptyTree, treeDifferences } from "../git/tree-diff.ts";
import { type ChangedFile, countedFiles } from "../worktrees/apply/worktree-changes.ts";
import { type HeadIndex, listIndex } from "../worktrees/head-index.ts";
import { untrackedFiles } from "../worktrees/left-files.ts";
import { readFacts } from "./file-facts.ts";

/** What work changes against a branch, committed or not. What is on the branch already does not count. */
export interface LiveChanges {
  /** The newest commit that the work and the branch have in common; null: they have none. */
  readonly base: string | null;
  readonly head: string | null;
  /** Commits that only the work has, and those that only the branch has; null when that cannot be known. */
  readonly ahead: number | null;
  readonly behind: number | null;
  /** Sorted by path. */
  readonly files: readonly ChangedFile[];
  /** There are more new files than were counted. */
  readonly isCut: boolean;
}

export interface LivePlace {
  /** Sees the objects of the work and of the branch. */
  readonly view: RepositoryView;
  /** By real path. */
  readonly tree: string;
  /** In which no file is marked as unchanged. */
  readonly index: HeadIndex;
  /** For files of this look only. */
  readonly own: string;
  /** Where the branch is. */
  readonly tip: string | null;
  /** Compared with when the branch and the work have no commit in common. */
  readonly otherwise: string | null;
  readonly objectFormat: "sha1" | "sha256";
}

/** More new files are not counted. */
const NEW_FILES_MAX = 20_000;
const COUNTS = ["diff", "--numstat", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];
const DIFF_TIMEOUT_MS = 60_000;

/** `touched`: tracked files that differ from the common commit, also those that are on the branch already. */
export async function liveChanges(place: LivePlace): Promise<LiveChanges & { readonly touched: readonly string[] }> {
  const { view, tree, index, tip } = place;
  const { git } = view;
  const base = (await commonCommit(view, tip, index.commit)) ?? place.otherwise;
  const before = base ?? (await emptyTree(git));
  const searches = [
    git.must([...COUNTS, before, "--"], { indexFile: index.file, workTree: tree, timeoutMs: DIFF_TIMEOUT_MS }),
    newFiles(place, base),
    tip === null || tip === base ? [] : treeDifferences(git, before, tip),
    distance(view, tip, index.commit),
  ] as const;
  // All of them use files that are about to be removed.
  await Promise.allSettled(searches);
  const [counted, fresh, onBranch, far] = await Promise.all(searches);
  const known = new Map(countedFiles(counted.toString()).map((file) => [file.path, file]));
  const touched = [...known.keys()];
  const facts = await readFacts(tree, fresh.paths, place.objectFormat);
  for (const [path, { lines }] of facts)
    known.set(path, { path, added: lines, removed: known.get(path)?.removed ?? 0 });
  const there = new Map(onBranch.map(({ path, after }) => [path, after?.id ?? null]));
  const both = [...known.keys()].filter((path) => there.has(path));
  const now = await readFacts(tree, both, place.objectFormat);
  for (const path of both) if ((now.get(path)?.id ?? null) === there.get(path)) known.delete(path);
  const files = [...known.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return { base, head: index.commit, ...far, files, isCut: fresh.isCut, touched };
}

/** Null too when a shallow history does not reach far enough to know. */
async function commonCommit({ git }: RepositoryView, tip: string | null, head: string | null): Promise<string | null> {
  if (tip === null || head === null || tip === head) return tip === null ? null : head;
  const { exitCode, stdout } = await git.run(["merge-base", tip, head]);
  return exitCode === 0 ? (stdout.toString().split("\n")[0] ?? "") : null;
}

async function distance(
  { git }: RepositoryView,
  tip: string | null,
  head: string | null,
): Promise<Pick<LiveChanges, "ahead" | "behind">> {
  const unknown = { ahead: null, behind: null };
  if (tip === null || head === null) return unknown;
  if (tip === head) return { ahead: 0, behind: 0 };
  const { exitCode, stdout } = await git.run(["rev-list", "--left-right", "--count", `${head}...${tip}`]);
  const [ahead = Number.NaN, behind = Number.NaN] = stdout.toString().trim().split("\t").map(Number);
  return exitCode === 0 ? { ahead, behind } : unknown;
}

async function newFiles(
  place: LivePlace,
  base: string | null,
): Promise<{ readonly paths: readonly string[]; readonly isCut: boolean }> {
  const { view, tree, index, own } = place;
  // Of a large index only the ignore files are asked for.
  const listing = { ...listIndex(view.git, index.file), lines: () => ignoreFiles(view, index.file) };
  // The ignore rules are those of the branch: work could hide itself behind its own. Mostly they are the same.
  const rulesFrom = await rulesCommit(view, base, index.commit);
  const asked = { view, tree, index, listing, scratch: own, rulesFrom, enough: NEW_FILES_MAX + 1 };
  const found = await untrackedFiles(asked);
  const paths = await withoutNested(tree, found.slice(0, NEW_FILES_MAX));
  return { paths, isCut: found.length > NEW_FILES_MAX };
}

async function ignoreFiles({ git }: RepositoryView, indexFile: string): Promise<readonly string[]> {
  const asked = ["--no-literal-pathspecs", "ls-files", "--stage", "-z", "--", ":(glob)**/.gitignore"];
  return (await git.must(asked, { indexFile })).toString("latin1").split("\0").filter(Boolean);
}

async function rulesCommit({ git }: RepositoryView, base: string | null, head: string | null): Promise<string | null> {
  if (base === null || head === null || base === head) return base;
  const names = (await git.must(["diff-tree", "-r", "--name-only", "-z", "--no-renames", base, head])).toString();
  return /(?:^|\0|\/)\.gitignore\0/.test(names) ? base : head;
}

/** A repository inside of the tree counts as one file: its files are its own. */
async function withoutNested(tree: string, paths: readonly string[]): Promise<readonly string[]> {
  const known = new Map<string, Promise<boolean>>();
  const isRepository = (folder: string): Promise<boolean> => {
    const found = known.get(folder) ?? lstat(join(tree, folder, ".git")).then(...YES_NO);
    known.set(folder, found);
    return found;
  };
  const kept = new Set<string>();
  for (const path of paths) {
    const folders = path.split("/").slice(0, -1);
    const outer = folders.map((_, at) => folders.slice(0, at + 1).join("/"));
    const inside: boolean[] = [];
    for (const folder of outer) inside.push(await isRepository(folder));
    kept.add(outer[inside.indexOf(true)] ?? path);
  }
  return [...kept];
}

const YES_NO = [() => true, () => false] as const;

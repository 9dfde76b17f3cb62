import { copyFile, lstat, mkdir, mkdtemp, readdir, readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { findRepository, type Repository, readSmall } from "../git/find-repository.ts";
import { alternates, openView, type RepositoryView } from "../git/repository-view.ts";
import type { GitRunner } from "../git/run-git.ts";
import type { TreeBounds } from "../git/tree-bounds.ts";
import { HostError } from "../host-error.ts";
import { removeTree } from "../trash/remove-tree.ts";
import { changedCarried } from "./carried-work.ts";
import { type HeadIndex, indexOfHead, listIndex, settleIndex } from "./head-index.ts";
import { filesInGitlinks, untrackedFiles } from "./left-files.ts";
import { namedObjects } from "./named-objects.ts";
import { Unclear } from "./own-objects.ts";
import { runTool } from "./run-tool.ts";
import { unpushed } from "./unpushed.ts";
import type { WorktreePlace, WorktreeRecord } from "./worktree-record.ts";

/** What would be lost with a worktree. Each list holds the first few entries; empty means none. */
export interface Work {
  /** Tracked files that differ from HEAD in the tree or in the index. */
  readonly changed: readonly string[];
  readonly untracked: readonly string[];
  /** Carried files (`.env`) that changed or are new. */
  readonly carried: readonly string[];
  /** Commits, tags and other named objects that the user's repository cannot reach. */
  readonly commits: readonly string[];
  /** Nested repositories; their work is not examined. */
  readonly nested: readonly string[];
  /** Why the work could not be determined, if it could not. */
  readonly unclear: string | null;
}

export function hasWork(work: Work): boolean {
  const lists = [work.changed, work.untracked, work.carried, work.commits, work.nested];
  return work.unclear !== null || lists.some((list) => list.length > 0);
}

export interface WorkScene {
  readonly git: GitRunner;
  readonly scratch: string;
  readonly carry: readonly string[];
  readonly bounds: TreeBounds;
}

const NO_WORK: Work = { changed: [], untracked: [], carried: [], commits: [], nested: [], unclear: null };
const LISTED_MAX = 20;

/** Anything that cannot be determined counts as work, so that a doubt never deletes anything. */
export async function findWork(scene: WorkScene, place: WorktreePlace, record: WorktreeRecord): Promise<Work> {
  try {
    return await lookThrough(scene, place, record, lookEverywhere);
  } catch (thrown) {
    if (thrown instanceof Unclear || thrown instanceof HostError) return { ...NO_WORK, unclear: thrown.message };
    if (thrown instanceof Error && "code" in thrown) return { ...NO_WORK, unclear: thrown.message };
    throw thrown;
  }
}

/** Shows a worktree through a view of its objects and those of the user's repository, with the user's ignore rules. */
export async function lookThrough<T>(
  scene: WorkScene,
  place: WorktreePlace,
  record: WorktreeRecord,
  look: (look: Look) => Promise<T>,
): Promise<T> {
  const user = await userRepository(scene.git, record);
  const repository = await privateRepository(place, record, user?.config);
  await refuseBorrowed(place, record);
  await mkdir(scene.scratch, { recursive: true });
  const scratch = await mkdtemp(join(scene.scratch, "work-"));
  try {
    await using view = await openView(scene.git, repository, scratch, [ownObjects(place), ...(user?.objectDirs ?? [])]);
    await mkdir(join(view.gitDir, "info"));
    if (record.userBase !== undefined) await copyFile(place.exclude, join(view.gitDir, "info", "exclude"));
    return await look({ ...scene, place, record, user, view, own: scratch });
  } finally {
    await removeTree(scratch);
  }
}

export interface Look extends WorkScene {
  readonly place: WorktreePlace;
  readonly record: WorktreeRecord;
  /** Null when it is gone. */
  readonly user: Repository | null;
  readonly view: RepositoryView;
  /** For files of this look only. */
  readonly own: string;
}

/** The searches run at the same time: most of it is waiting for git. */
async function lookEverywhere({ place, record, view, own, ...scene }: Look): Promise<Work> {
  const { tree } = place;
  const { userBase, carried } = record;
  const { named, commit } = await namedObjects(view.git);
  const scratch = { indexFile: join(own, "index"), bounds: scene.bounds };
  const index = await indexOfHead(view.git, place, record, commit, scratch);
  const listing = listIndex(view.git, index.file);
  const objects = ownObjects(place);
  const [changed, staged, left, inGitlinks, changedCopies, commits, nested] = await allOrFirstFailure([
    changedFiles(view, place, index),
    stagedFiles(view.git, place, join(own, "index-theirs"), index),
    untrackedFiles({ view, tree, index, listing, scratch: own, rulesFrom: userBase ?? null }),
    listing.gitlinks().then((gitlinks) => filesInGitlinks(tree, gitlinks)),
    changedCarried({ tree, patterns: scene.carry, carried, tracked: listing.paths }),
    unpushed({ ...scene, view, named, objects, place, record }),
    nestedRepositories(tree),
  ]);
  await settleIndex(place, index, changed);
  return {
    ...NO_WORK,
    changed: first([...new Set([...changed, ...staged])]),
    untracked: first([...left, ...inGitlinks]),
    carried: first(changedCopies),
    commits: first(commits),
    nested: first(nested),
  };
}

/** Waits for all, also after a failure: what still runs uses files that are about to be removed. */
async function allOrFirstFailure<const T extends readonly Promise<readonly string[]>[]>(
  searches: T,
): Promise<{ readonly [K in keyof T]: readonly string[] }> {
  await Promise.allSettled(searches);
  return Promise.all(searches);
}

/** Git follows the list of further object directories. If it is not the one we wrote, nothing is examined. */
async function refuseBorrowed(place: WorktreePlace, record: WorktreeRecord): Promise<void> {
  const objects = ownObjects(place);
  if (!(await isFolder(objects))) throw new Unclear("its object store is not a directory");
  const list = join(objects, "info", "alternates");
  const isThere = (await lstat(list).catch(() => null)) !== null;
  if (isThere && (await readSmall(list)) !== alternates(record.objectDirs))
    throw new Unclear("its `objects/info/alternates` was changed");
}

export function ownObjects({ tree }: WorktreePlace): string {
  return join(tree, ".git", "objects");
}

/**
 * The worktree's own repository, from our record: no setting and no object directory that its agent can write is used.
 */
export async function privateRepository(
  place: WorktreePlace,
  record: WorktreeRecord,
  config: Repository["config"] = { entries: [], get: () => undefined },
): Promise<Repository> {
  const gitDir = join(place.tree, ".git");
  if (!(await isFolder(place.tree))) throw new Unclear("its folder is not a directory");
  if (!(await isFolder(gitDir))) throw new Unclear("its git dir is not a directory");
  // The record holds the usual path of the objects; a worktree put aside has another one.
  const usual = join(dirname(place.folder), record.id, "objects");
  const objectDirs = record.objectDirs.map((path) => (path === usual ? place.objects : path));
  const { below, objectFormat } = record;
  return { root: place.tree, gitDir, commonDir: gitDir, below, config, objectFormat, refFormat: "files", objectDirs };
}

/** Not a link to one. The agent may have deleted it. */
async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null))?.isDirectory() === true;
}

async function userRepository(git: GitRunner, { repository }: WorktreeRecord): Promise<Repository | null> {
  const found = await findRepository(git, repository.root ?? repository.gitDir).catch((thrown: unknown) => {
    if (thrown instanceof HostError || (thrown instanceof Error && "code" in thrown)) return null;
    throw thrown;
  });
  return found?.gitDir === repository.gitDir ? found : null;
}

/** Compares with our own index. Staged files come from the agent's index. */
export async function changedFiles(
  { git }: RepositoryView,
  { tree }: WorktreePlace,
  { file }: HeadIndex,
): Promise<readonly string[]> {
  // Not into submodules: git would use their configuration, which the agent can write.
  const flags = ["--porcelain=v1", "-z", "--untracked-files=no", "--ignore-submodules=all", "--no-renames"];
  const told = await git.must(["status", ...flags], { indexFile: file, workTree: tree });
  const lines = told.toString().split("\0").filter(Boolean);
  return lines.map((line) => line.slice(3));
}

/** Enough for several million files. A sparse file may claim any size. */
export const INDEX_BYTES_MAX = 536_870_912;

async function stagedFiles(
  git: GitRunner,
  { tree }: WorktreePlace,
  indexFile: string,
  { commit, file }: HeadIndex,
): Promise<readonly string[]> {
  const theirs = join(tree, ".git", "index");
  const found = await lstat(theirs).catch(() => null);
  if (found === null) return [];
  if (!found.isFile()) throw new Unclear("its index is no file");
  if (found.size > INDEX_BYTES_MAX) throw new Unclear(`its index has more than ${INDEX_BYTES_MAX} bytes`);
  await copyFile(theirs, indexFile);
  if (await isSame(indexFile, file)) return [];
  const names =
    commit === null
      ? await git.must(["ls-files", "--cached", "-z"], { indexFile, workTree: tree })
      : await git.must(["diff-index", "--cached", "--name-only", "--ignore-submodules=dirty", "-z", commit], {
          indexFile,
        });
  return names.toString().split("\0").filter(Boolean);
}

/** As long as nobody ran git in the worktree, its index is the one that was made with it. */
async function isSame(one: string, other: string): Promise<boolean> {
  if ((await lstat(one)).size !== (await lstat(other)).size) return false;
  return (await readFile(one)).equals(await readFile(other));
}

/** Bare ones, submodules and linked worktrees too. */
export async function nestedRepositories(tree: string): Promise<readonly string[]> {
  const own = join(tree, ".git");
  const look = ["(", "-name", ".git", "-o", "-name", "HEAD", ")", "-print0"];
  const found = await runTool("find", [tree, "-xdev", "-type", "d", "-path", own, "-prune", "-o", ...look]);
  const nested: string[] = [];
  for (const path of found.toString().split("\0").filter(Boolean))
    if (path.endsWith("/.git") || (await looksBare(dirname(path)))) nested.push(relative(tree, dirname(path)));
  for (const name of ["modules", "worktrees"]) {
    const inside = await readdir(join(own, name)).catch(() => []);
    nested.push(...inside.map((one) => `.git/${name}/${one}`));
  }
  return nested;
}

async function looksBare(folder: string): Promise<boolean> {
  const [objects, refs] = await Promise.all(
    ["objects", "refs"].map((name) => lstat(join(folder, name)).catch(() => null)),
  );
  return objects?.isDirectory() === true && refs?.isDirectory() === true;
}

function first(list: readonly string[]): readonly string[] {
  return list.slice(0, LISTED_MAX);
}

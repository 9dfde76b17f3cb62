import { copyFile, lstat, mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { findRepository, type Repository } from "../git/find-repository.ts";
import { openView, type RepositoryView } from "../git/repository-view.ts";
import type { GitRunner } from "../git/run-git.ts";
import { refuseManyFiles, type TreeBounds } from "../git/tree-bounds.ts";
import { HostError } from "../host-error.ts";
import { removeTree } from "../trash/remove-tree.ts";
import { copyWithTimes } from "../worktrees/create-worktree.ts";
import type { HeadIndex } from "../worktrees/head-index.ts";
import { namedObjects } from "../worktrees/named-objects.ts";
import { type LiveChanges, liveChanges } from "./live-changes.ts";
import { standingOf } from "./standing.ts";

export interface CheckoutScene {
  readonly git: GitRunner;
  /** Out of any agent's reach. */
  readonly scratch: string;
  readonly bounds: Pick<TreeBounds, "filesMax">;
}

/**
 * What a checkout or a linked worktree changes against a commit: no daemon has to know it. Its settings and hooks are not
 * used, and nothing of it is written.
 */
export async function checkoutChanges(scene: CheckoutScene, root: string, tip: string | null): Promise<LiveChanges> {
  const { git, scratch } = scene;
  const found = await findRepository(git, root);
  if (found === null || found.root === null) throw noCheckout(root);
  const repository = { ...found, objectDirs: found.objectDirs.filter((one) => !found.foreign.includes(one)) };
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  const own = await mkdtemp(join(scratch, "changes-"));
  try {
    await using view = await openView(git, repository, own);
    await copyExclude(repository, view);
    const { commit } = await namedObjects(view.git);
    const index = await honestIndex(scene, { repository, view, commit, own, tree: found.root });
    // Without a commit in common the files as they are stand against those of the branch.
    const standing = await standingOf(view.git, { head: commit, tip, otherwise: tip ?? commit });
    const { objectFormat } = repository;
    const { touched: _touched, ...changes } = await liveChanges({
      ...{ view, own, index, standing, objectFormat, tree: found.root },
    });
    return changes;
  } finally {
    await removeTree(own);
  }
}

async function copyExclude({ commonDir }: Repository, { gitDir }: RepositoryView): Promise<void> {
  await mkdir(join(gitDir, "info"));
  const exclude = join(commonDir, "info", "exclude");
  const found = await lstat(exclude).catch(() => null);
  if (found?.isFile() === true) await copyFile(exclude, join(gitDir, "info", "exclude"));
}

interface Checkout {
  readonly repository: Repository;
  readonly view: RepositoryView;
  readonly commit: string | null;
  readonly own: string;
  readonly tree: string;
}

const INDEX_BYTES_MAX = 536_870_912;

/** A copy of its index, for the times of files: none counts as unchanged because somebody marked it so. */
async function honestIndex(
  { bounds }: CheckoutScene,
  { repository, view, commit, own, tree }: Checkout,
): Promise<HeadIndex> {
  const file = join(own, "index");
  const theirs = join(repository.gitDir, "index");
  const found = await lstat(theirs).catch(() => null);
  const where = { indexFile: file, workTree: tree };
  const isUsable = found?.isFile() === true && found.size <= INDEX_BYTES_MAX;
  if (isUsable) await copyWithTimes(theirs, file);
  const marked = isUsable ? await marksIn(view, file) : null;
  if (marked === null || marked.isUnmerged) {
    if (marked === null) await rm(file, { force: true });
    if (commit !== null) await refuseManyFiles(view.git, commit, bounds);
    await view.git.must(commit === null ? ["read-tree", "--empty"] : ["read-tree", "--reset", commit], where);
    return { commit, file };
  }
  const sparse = [];
  for (const path of marked.skipped) if ((await lstat(join(tree, path)).catch(() => null)) !== null) sparse.push(path);
  await unmark(view, "--no-assume-unchanged", marked.assumed, where);
  await unmark(view, "--no-skip-worktree", sparse, where);
  return { commit, file };
}

async function unmark(
  { git }: RepositoryView,
  flag: string,
  paths: readonly string[],
  where: { readonly indexFile: string; readonly workTree: string },
): Promise<void> {
  if (paths.length === 0) return;
  const input = paths.map((path) => `${path}\0`).join("");
  await git.must(["update-index", flag, "-z", "--stdin"], { ...where, input });
}

interface Marks {
  readonly assumed: readonly string[];
  /** Those that a sparse checkout leaves out, or that are called so. */
  readonly skipped: readonly string[];
  readonly isUnmerged: boolean;
}

/** Lines are `<tag> <path>`: lower case for what counts as unchanged. */
async function marksIn({ git }: RepositoryView, indexFile: string): Promise<Marks | null> {
  const { exitCode, stdout } = await git.run(["ls-files", "-v", "-z"], { indexFile });
  // Damaged, or of a format that this git does not know.
  if (exitCode !== 0) return null;
  const odd = stdout
    .toString()
    .split("\0")
    .filter((line) => line !== "" && !line.startsWith("H "));
  const tagged = (tags: string) => odd.filter((line) => tags.includes(line.charAt(0))).map((line) => line.slice(2));
  return { assumed: tagged("hsm"), skipped: tagged("Ss"), isUnmerged: odd.some((line) => /^m/i.test(line)) };
}

function noCheckout(path: string): HostError {
  return new HostError("not_a_repository", `${path} is in no git checkout`, {
    remedy: "name a folder of a checkout: a bare repository has no files that could have changed",
    details: { path },
  });
}

import { lstat, readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { findRepository, type Repository, readSmall } from "../../git/find-repository.ts";
import type { GitRunner } from "../../git/run-git.ts";

/** A folder of the person's in which a branch is checked out. */
export interface Checkout {
  readonly gitDir: string;
  readonly root: string;
}

export interface BranchPlaces {
  readonly checkouts: readonly Checkout[];
  /** Why the branch must not move now; null when it may. */
  readonly blocked: string | null;
}

const UNDER_WAY: readonly (readonly [file: string, what: string])[] = [
  ["MERGE_HEAD", "a merge"],
  ["rebase-merge", "a rebase"],
  ["rebase-apply", "a rebase"],
  ["CHERRY_PICK_HEAD", "a cherry-pick"],
  ["REVERT_HEAD", "a revert"],
  ["sequencer", "a cherry-pick or revert"],
];

/** Where a branch is checked out: in the repository itself and in all of its linked worktrees. */
export async function placesOf(git: GitRunner, repository: Repository, branch: string): Promise<BranchPlaces> {
  const blocked = (words: string): BranchPlaces => ({ checkouts: [], blocked: words });
  const ref = `refs/heads/${branch}`;
  const other = await linkIn(git, repository, repository.commonDir, ref);
  if (other !== null) return blocked(`${branch} is another name for ${other.replace(/^refs\/heads\//, "")}`);
  const checkouts: Checkout[] = [];
  for (const { gitDir, root, isGone } of await allCheckouts(git, repository)) {
    const isHere = (await headOf(git, repository, gitDir)) === ref;
    if (root === null) {
      if (isHere) return blocked(`${branch} is checked out in a folder that ${gitDir} does not name`);
      continue;
    }
    if (isGone) {
      // A locked one may lie on a disk that is not there now.
      if (isHere && (await isThere(join(gitDir, "locked"))))
        return blocked(`${branch} is checked out in ${root}, which is not there`);
      continue;
    }
    const busy = await busyWith(gitDir, ref, branch, isHere);
    if (busy !== null) return blocked(`${busy} of ${branch} is in progress in ${root}`);
    if (isHere) checkouts.push({ gitDir, root });
  }
  return { checkouts, blocked: null };
}

/** The ref that HEAD of a checkout leads to; null when it is detached. */
export function headOf(git: GitRunner, repository: Repository, gitDir: string): Promise<string | null> {
  return linkIn(git, repository, gitDir, "HEAD");
}

async function linkIn(git: GitRunner, { refFormat }: Repository, gitDir: string, name: string): Promise<string | null> {
  const path = join(gitDir, name);
  const found = await lstat(path).catch(() => null);
  // A link is how old versions of git wrote such a ref.
  if (refFormat === "files" && found?.isSymbolicLink() !== true)
    return /^ref: *(\S+)\s*$/.exec((await readSmall(path)) ?? "")?.[1] ?? null;
  const { exitCode, stdout } = await git.run(["symbolic-ref", "-q", name], { gitDir });
  return exitCode === 0 ? stdout.toString().trim() : null;
}

/** A merge, rebase or the like that waits to be ended in this checkout; null for none. */
export async function underWayIn(gitDir: string): Promise<string | null> {
  for (const [file, what] of UNDER_WAY) if (await isThere(join(gitDir, file))) return what;
  return null;
}

/** What else goes on there that would be confused by a branch that moves. */
async function busyWith(gitDir: string, ref: string, branch: string, isHere: boolean): Promise<string | null> {
  for (const [file, what] of UNDER_WAY) {
    if (!(await isThere(join(gitDir, file)))) continue;
    const rebased = await readSmall(join(gitDir, file, "head-name"));
    if (isHere || rebased?.trim() === ref) return what;
  }
  const bisected = (await readSmall(join(gitDir, "BISECT_START")))?.trim();
  return bisected !== undefined && (isHere || [ref, branch].includes(bisected)) ? "a bisection" : null;
}

export interface KnownCheckout {
  readonly gitDir: string;
  /** Null: it is somewhere, but its git dir does not say where. */
  readonly root: string | null;
  /** Git knows it, but its folder is not there. */
  readonly isGone: boolean;
}

export async function allCheckouts(git: GitRunner, repository: Repository): Promise<readonly KnownCheckout[]> {
  const { root, gitDir, commonDir } = repository;
  const found = new Map<string, KnownCheckout>();
  const main = root !== null && gitDir === commonDir ? null : await mainCheckout(git, repository);
  if (main !== null) found.set(commonDir, main);
  if (root !== null) found.set(gitDir, { gitDir, root, isGone: false });
  for (const name of await readdir(join(commonDir, "worktrees")).catch(() => [])) {
    const linked = join(commonDir, "worktrees", name);
    const pointer = (await readSmall(join(linked, "gitdir")))?.trim();
    if (pointer === undefined) continue;
    const folder = dirname(resolve(linked, pointer));
    const real = await realpath(folder).catch(() => null);
    found.set(linked, { gitDir: linked, root: real ?? folder, isGone: real === null });
  }
  return [...found.values()];
}

/** Seen from a linked worktree: the repository's first checkout. That of a submodule is not beside its git dir. */
async function mainCheckout(git: GitRunner, { commonDir, config }: Repository): Promise<KnownCheckout | null> {
  if (config.get("core.bare") === "true") return null;
  const named = config.get("core.worktree");
  if (named === undefined && basename(commonDir) === ".git")
    return { gitDir: commonDir, root: dirname(commonDir), isGone: false };
  const root = named === undefined ? null : await realpath(resolve(commonDir, named)).catch(() => null);
  // A folder counts only if it names the git dir too, as everywhere.
  const there = root === null ? null : await findRepository(git, root).catch(() => null);
  if (there?.gitDir === commonDir && there.root === root) return { gitDir: commonDir, root, isGone: false };
  // After `git init --separate-git-dir` only the folder knows. What has no index was never checked out.
  return (await isThere(join(commonDir, "index"))) ? { gitDir: commonDir, root: null, isGone: false } : null;
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}

import { lstat, readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { type Repository, readSmall } from "../git/find-repository.ts";

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
];

/** Where a branch is checked out: in the repository itself and in all of its linked worktrees. */
export async function placesOf(repository: Repository, branch: string): Promise<BranchPlaces> {
  const checkouts: Checkout[] = [];
  const ref = `refs/heads/${branch}`;
  for (const one of await allCheckouts(repository)) {
    const isHere = (await readSmall(join(one.gitDir, "HEAD")))?.trim() === `ref: ${ref}`;
    for (const [file, what] of UNDER_WAY) {
      if ((await lstat(join(one.gitDir, file)).catch(() => null)) === null) continue;
      const rebased = await readSmall(join(one.gitDir, file, "head-name"));
      if (isHere || rebased?.trim() === ref)
        return { checkouts: [], blocked: `${what} of ${branch} is in progress in ${one.root}` };
    }
    if (isHere) checkouts.push(one);
  }
  return { checkouts, blocked: null };
}

async function allCheckouts({ root, gitDir, commonDir, config }: Repository): Promise<readonly Checkout[]> {
  const found = new Map<string, Checkout>();
  if (root !== null) found.set(gitDir, { gitDir, root });
  const isBare = config.get("core.bare") === "true";
  if (basename(commonDir) === ".git" && !isBare) found.set(commonDir, { gitDir: commonDir, root: dirname(commonDir) });
  for (const name of await readdir(join(commonDir, "worktrees")).catch(() => [])) {
    const linked = join(commonDir, "worktrees", name);
    const pointer = (await readSmall(join(linked, "gitdir")))?.trim();
    if (pointer === undefined) continue;
    const folder = await realpath(dirname(resolve(linked, pointer))).catch(() => null);
    if (folder !== null) found.set(linked, { gitDir: linked, root: folder });
  }
  return [...found.values()];
}

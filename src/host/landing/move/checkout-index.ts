import { chmod, copyFile, open, readdir, rename, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import type { RepositoryView } from "../../git/repository-view.ts";
import { HostError } from "../../host-error.ts";
import type { Checkout } from "./checkouts.ts";
import { giveToOwner, ownFile } from "./index-lock.ts";

const REFRESH_TIMEOUT_MS = 120_000;
const USUAL_MODE = 0o644;

/**
 * Copies the index of a checkout to where git may work on it. Its time decides which files git compares by content, so
 * the copy has it too. False when there is none.
 */
export async function takeIndex(view: RepositoryView, { gitDir }: Checkout, to: string): Promise<boolean> {
  const own = join(gitDir, "index");
  const found = await stat(own, { bigint: true }).catch(() => null);
  if (found?.isFile() !== true) return false;
  await copyFile(own, to);
  // Rounded down: a later time would hide a change.
  const seconds = Number(found.mtimeNs / 1000n - 1n) / 1e6;
  await utimes(to, seconds, seconds);
  // Of an index in two parts, git looks for the other one in its own git dir.
  for (const name of await readdir(gitDir))
    if (name.startsWith("sharedindex.")) await copyFile(join(gitDir, name), join(view.gitDir, name));
  return true;
}

export async function refreshIndex({ git }: RepositoryView, indexFile: string, root: string): Promise<void> {
  await git.run(["update-index", "-q", "--refresh"], { indexFile, workTree: root, timeoutMs: REFRESH_TIMEOUT_MS });
}

/** An index without entries, for a checkout that has none yet. */
export async function emptyIndex({ git }: RepositoryView, indexFile: string): Promise<void> {
  await git.must(["read-tree", "--empty"], { indexFile });
}

/** Whether an index holds exactly the files of a commit; of a light move, only the files that it changes count. */
export async function isIndexOf(
  { git }: RepositoryView,
  indexFile: string,
  commit: string,
  only: readonly string[] | null,
): Promise<boolean> {
  const args = ["diff-index", "--cached", "-z", "--name-only", "--ignore-submodules=dirty", commit];
  const told = await git.must(args, { indexFile, timeoutMs: REFRESH_TIMEOUT_MS });
  const differing = told.toString().split("\0").filter(Boolean);
  const counted = only === null ? null : new Set(only);
  return !differing.some((path) => counted === null || counted.has(path));
}

/**
 * Turns an index of `from` into one of `to`. Entries that do not change keep what git knows of their files; no file is
 * looked at.
 */
export async function advanceIndex(
  { git }: RepositoryView,
  indexFile: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  await git.must(["read-tree", "-i", "-m", from, to], { indexFile });
}

/** Puts a new index beside the one of a checkout, ready to take its place. Returns how to do that. */
export async function stageIndex(indexFile: string, { gitDir, root }: Checkout, owner: string) {
  const own = join(gitDir, "index");
  const beside = ownFile(gitDir, owner, "index");
  const [was, made] = [await stat(own).catch(() => null), await stat(indexFile)];
  await copyFile(indexFile, beside);
  await chmod(beside, (was?.mode ?? USUAL_MODE) & 0o777);
  await giveToOwner(beside, gitDir);
  await utimes(beside, made.atime, Math.floor(made.mtimeMs) / 1000);
  const file = await open(beside, "r");
  await file.sync().finally(() => file.close());
  return () =>
    rename(beside, own).catch((cause: unknown) => {
      throw new HostError("git_failed", `the index of ${root} could not be written`, {
        remedy: "run `git reset` there; no file changes",
        details: { path: own },
        cause,
      });
    });
}

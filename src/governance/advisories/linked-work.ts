import { readdir, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { OtherBranch } from "../../domains/index.ts";
import {
  checkoutChanges,
  findRepository,
  HostError,
  type Repository,
  type RepositoryGit,
  readSmallFile,
} from "../../host/index.ts";
import { touchedMs } from "./touched.ts";

interface Beside {
  readonly git: RepositoryGit;
  readonly scratch: string;
  readonly repository: Repository;
  readonly tip: string | null;
}

/** More worktrees are not looked at: each takes as long as `git status`. */
const WORKTREES_MAX = 8;
const FILES_MAX = 1_000_000;
const PATHS_MAX = 200;
const POINTER_BYTES_MAX = 4096;

/** Work in the other worktrees of a clone, committed or not. One that cannot be read is left out. */
export async function linkedWork(beside: Beside): Promise<readonly OtherBranch[]> {
  const { repository } = beside;
  const found: OtherBranch[] = [];
  for (const root of await otherRoots(repository)) {
    const work = await workAt(beside, root).catch((thrown: unknown) => {
      if (thrown instanceof HostError || (thrown instanceof Error && "code" in thrown)) return null;
      throw thrown;
    });
    if (work !== null) found.push(work);
  }
  return found;
}

async function otherRoots({ commonDir, root }: Repository): Promise<readonly string[]> {
  const folder = join(commonDir, "worktrees");
  const names = await readdir(folder).catch(() => []);
  const pointers = await Promise.all(
    names.map((name) => readSmallFile(join(folder, name, "gitdir"), POINTER_BYTES_MAX).catch(() => null)),
  );
  const main = basename(commonDir) === ".git" ? [dirname(commonDir)] : [];
  const all = [...main, ...pointers.flatMap((pointer) => (pointer === null ? [] : [dirname(pointer.trim())]))];
  const real = await Promise.all(all.map((path) => realpath(path).catch(() => null)));
  return real.filter((path): path is string => path !== null && path !== root).slice(0, WORKTREES_MAX);
}

async function workAt({ git, scratch, repository, tip }: Beside, root: string): Promise<OtherBranch | null> {
  const there = await findRepository(git, root);
  // Its pointer may lead to a repository of somebody else.
  if (there === null || there.commonDir !== repository.commonDir || there.root !== root) return null;
  const { files, head } = await checkoutChanges({ git, scratch, bounds: { filesMax: FILES_MAX } }, root, tip);
  if (files.length === 0) return null;
  const pointer = await readSmallFile(join(there.gitDir, "HEAD"), POINTER_BYTES_MAX).catch(() => null);
  const branch = /^ref: refs\/heads\/(.+)\n?$/.exec(pointer ?? "")?.[1];
  return {
    ...{ name: branch ?? root, commit: head ?? "", summary: `in ${root}`, ticketId: null },
    paths: files.slice(0, PATHS_MAX).map(({ path }) => path),
    more: Math.max(0, files.length - PATHS_MAX),
    atMs: await touchedMs(there.gitDir, root, files),
  };
}

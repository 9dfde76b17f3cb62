import { existsSync, lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Mount } from "../host/index.ts";
import { type SessionSpec, scopeWalls } from "../kernel/index.ts";

/** All of a session's own tree, as far as its scope goes. What lies between is caught when the turn ends. */
export function treeMounts(tree: string, { cwd, scope }: SessionSpec): Mount[] {
  if (scope === null) return [{ path: tree, access: "write", why: "the worktree" }];
  const { mounts } = scopeWalls(scope, (path) => isDirectory(join(tree, path)));
  const below = relative(tree, cwd);
  const around = mounts.filter(({ path }) => path === "" || `${below}/`.startsWith(`${path}/`)).at(-1);
  const ways = [...mounts, { path: below, access: around?.access ?? "read" }];
  return [
    ...ways.map(({ path, access }): Mount => ({ path: join(tree, path), access, why: "the scope" })),
    { path: join(tree, ".git"), access: "write", why: "the worktree's own git dir" },
  ];
}

/** Kept beside the private HOME, where no session gets to. */
const GUARDED = "git-is-not-its-own";

/**
 * A repository that was there before the session is the person's: whatever is written into its git dir, such as a hook,
 * runs outside with the next command. One that the session made itself is its own.
 */
export function guardGit(folder: string, cwd: string): Mount[] {
  const gitDir = join(cwd, ".git");
  const mark = join(folder, GUARDED);
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (isThere(gitDir)) writeFileSync(mark, "");
  }
  if (!existsSync(mark) || !isThere(gitDir)) return [];
  return [{ path: gitDir, access: "read", why: "the repository is not the session's: a worktree has one of its own" }];
}

function isThere(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isSymbolicLink();
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

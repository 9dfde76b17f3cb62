import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { z } from "zod";
import { gitDirsBelow, HostError, type Mount } from "../host/index.ts";
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

/** Kept beside the private HOME, where no session gets to: the git dirs that were there before it. */
const GUARDED = "git-dirs.json";
const GitDirs = z.array(z.string());

/**
 * A repository that was there before the session is the person's: whatever is written into its git dir, such as a hook,
 * runs outside with the next command. One that the session made itself is its own.
 */
export function guardGit(folder: string, cwd: string): Mount[] {
  const list = join(folder, GUARDED);
  if (!existsSync(folder)) {
    const found = holdableGit(cwd);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(list, JSON.stringify(found));
  }
  const known = existsSync(list) ? GitDirs.parse(JSON.parse(readFileSync(list, "utf8"))) : [];
  return known.flatMap((path): Mount[] => {
    const gitDir = join(cwd, path);
    if (lstatSync(gitDir, { throwIfNoEntry: false }) === undefined) return [];
    return [
      { path: gitDir, access: "read", why: "the repository is not the session's: a worktree has one of its own" },
    ];
  });
}

const WORKTREE_INSTEAD = "start the session with `worktree: true`";

/** A directory that is all git dir, and a link that can be replaced by another, cannot be written around and held. */
export function holdableGit(cwd: string): readonly string[] {
  const { found, links } = gitDirsBelow(cwd);
  const [path] = [...links, ...found.filter((one) => one === "")];
  if (path === undefined) return found;
  const what = path === "" ? "is a bare repository" : `has a link for a git dir: ${path}`;
  throw new HostError("sandbox_unavailable", `strict cannot hold the repository: ${cwd} ${what}`, {
    remedy: WORKTREE_INSTEAD,
    details: { cwd, path, remedy: WORKTREE_INSTEAD },
  });
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import * as z from "zod";
import { scopeWalls } from "../../domains/index.ts";
import { gitDirsBelow, HostError, type Mount } from "../../host/index.ts";
import type { SessionSpec } from "../../kernel/index.ts";

/** Mounts of a session's worktree, limited to its scope. What mounts cannot express is checked when the turn ends. */
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

/** Lists the git dirs that existed before the session. Lies beside the private HOME, which no session can reach. */
const GUARDED = "git-dirs.json";
const GitDirs = z.array(z.string());

/**
 * A repository that existed before the session belongs to the person: a hook written into its git dir would run outside the
 * walls with the next git command. A repository that the session made is its own.
 */
export function guardGit(folder: string, cwd: string, home: string): Mount[] {
  const list = join(folder, GUARDED);
  if (!existsSync(folder)) {
    const found = holdableGit(cwd, home);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(list, JSON.stringify(found));
  }
  return gitMounts(cwd, guardedIn(folder));
}

export function gitMounts(cwd: string, gitDirs: readonly string[]): Mount[] {
  const why = "read-only, because the repository does not belong to the session; a worktree has its own";
  return gitDirs
    .map((path) => join(cwd, path))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined)
    .map((path): Mount => ({ path, access: "read", why }));
}

function guardedIn(folder: string): readonly string[] {
  const list = join(folder, GUARDED);
  return existsSync(list) ? GitDirs.parse(JSON.parse(readFileSync(list, "utf8"))) : [];
}

/** What the person should know about the git dirs in a session's directory. */
export interface GitNews {
  /** Git dirs that the session made. Running git in them or around them runs the session's hooks and settings. */
  readonly made: readonly string[];
  /** Folders that were not searched; a repository in there is not protected. */
  readonly unseen: readonly string[];
}

export function gitNews(folder: string, cwd: string, home: string): GitNews {
  const known = new Set(guardedIn(folder));
  const { found, links, unseen } = gitDirsBelow(cwd, home);
  return { made: [...found, ...links].filter((path) => !known.has(path)), unseen };
}

const WORKTREE_INSTEAD = "start the session with `worktree: true`";

/** Refuses a bare repository and a git dir that is a link: a read-only mount cannot protect either. */
export function holdableGit(cwd: string, home: string): readonly string[] {
  const { found, links } = gitDirsBelow(cwd, home);
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

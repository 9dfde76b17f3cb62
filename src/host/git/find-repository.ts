import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { errno } from "../errno.ts";
import { holdFile } from "../files/held-folder.ts";
import { isInside } from "../files/path-inside.ts";
import { HostError } from "../host-error.ts";
import { type GitConfig, readGitConfig } from "./config-file.ts";
import type { GitRunner } from "./run-git.ts";

/** A repository on disk. Found by reading files, not by running git, which would follow whatever they say. */
export interface Repository {
  /** Null for a bare repository. */
  readonly root: string | null;
  /** Holds HEAD and the index. In a linked worktree, refs and objects are elsewhere. */
  readonly gitDir: string;
  readonly commonDir: string;
  /** The path from the root down to where the search began. */
  readonly below: string;
  readonly config: GitConfig;
  readonly objectFormat: "sha1" | "sha256";
  readonly refFormat: "files" | "reftable";
  /** Its own first, then those it borrows from. */
  readonly objectDirs: readonly string[];
}

export interface FoundRepository extends Repository {
  /** Object directories outside the repository. Whoever can write its files can name any directory here. */
  readonly foreign: readonly string[];
}

/** Searches upwards from a real path. Null when there is none. Refuses one whose files contradict each other. */
export async function findRepository(git: GitRunner, start: string): Promise<FoundRepository | null> {
  for (let root = start; ; root = dirname(root)) {
    const gitDir = await gitDirAt(git, root);
    if (gitDir !== null) return describe(git, root, gitDir, relative(root, start));
    if (root === start && (await isGitDir(root))) return describe(git, null, root, "");
    if (root === dirname(root)) return null;
  }
}

async function describe(git: GitRunner, root: string | null, gitDir: string, below: string): Promise<FoundRepository> {
  const commonDir = await commonDirOf(root, gitDir);
  if (!(await isGitDir(commonDir))) throw notAsItSays(gitDir, "its common directory is no repository");
  const config = await readGitConfig(git, join(commonDir, "config"));
  const objectDirs = await withBorrowed(join(commonDir, "objects"));
  return {
    ...{ root, gitDir, commonDir, below, config, objectDirs },
    objectFormat: config.get("extensions.objectformat")?.toLowerCase() === "sha256" ? "sha256" : "sha1",
    refFormat: config.get("extensions.refstorage") === "reftable" ? "reftable" : "files",
    foreign: objectDirs.filter((path) => ![commonDir, root ?? commonDir].some((own) => isInside(own, path))),
  };
}

/**
 * The common git dir of a linked worktree must contain the worktree's git dir. Any other path could lead to somebody
 * else's repository.
 */
async function commonDirOf(root: string | null, gitDir: string): Promise<string> {
  if ((await lstat(join(gitDir, "commondir")).catch(orNothing)) === null) return gitDir;
  const named = await readSmall(join(gitDir, "commondir"));
  const commonDir = named === null ? null : await realpath(resolve(gitDir, named.trim())).catch(orNothing);
  const isLinked = (root === null || gitDir !== join(root, ".git")) && basename(dirname(gitDir)) === "worktrees";
  if (isLinked && commonDir === dirname(dirname(gitDir))) return commonDir;
  throw notAsItSays(gitDir, "its `commondir` points to a repository that it is not part of");
}

async function gitDirAt(git: GitRunner, root: string): Promise<string | null> {
  const path = join(root, ".git");
  const found = await lstat(path).catch(orNothing);
  if (found === null) return null;
  if (found.isDirectory()) return (await isGitDir(path)) ? path : null;
  if (!found.isFile()) throw notAsItSays(path, "it is neither a directory nor a file");
  const pointer = await readSmall(path);
  if (pointer?.startsWith("gitdir: ") !== true) throw notAsItSays(path, "it does not say where the repository is");
  const gitDir = await realpath(resolve(root, pointer.slice("gitdir: ".length).trim())).catch(orNothing);
  if (gitDir === null) throw notAsItSays(path, "it leads to nothing");
  if (await pointsBack(git, gitDir, root)) return gitDir;
  throw notAsItSays(path, "it points to a repository that does not point back to it");
}

/** A linked worktree's git dir must name its `.git` file, and a submodule's git dir its directory. */
async function pointsBack(git: GitRunner, gitDir: string, root: string): Promise<boolean> {
  const back = await readSmall(join(gitDir, "gitdir"));
  if (back !== null) return resolve(gitDir, back.trim()) === join(root, ".git");
  const workTree = (await readGitConfig(git, join(gitDir, "config"))).get("core.worktree");
  return workTree !== undefined && (await realpath(resolve(gitDir, workTree)).catch(orNothing)) === root;
}

async function isGitDir(path: string): Promise<boolean> {
  const kinds = await Promise.all(["HEAD", "objects", "refs", "commondir"].map((name) => kindOf(join(path, name))));
  const [head, objects, refs, common] = kinds;
  return head === "file" && (common === "file" || (objects === "directory" && refs === "directory"));
}

async function kindOf(path: string): Promise<"file" | "directory" | null> {
  const found = await lstat(path).catch(orNothing);
  return found === null ? null : found.isDirectory() ? "directory" : found.isFile() ? "file" : null;
}

const BORROWED_DEEP_MAX = 5;
const BORROWED_MAX = 16;

async function withBorrowed(own: string, deep = 0): Promise<readonly string[]> {
  const listed = deep < BORROWED_DEEP_MAX ? await readSmall(join(own, "info", "alternates")) : null;
  const found: string[] = [own];
  for (const line of (listed ?? "").split("\n").filter((one) => one !== "" && !one.startsWith("#"))) {
    const path = await realpath(resolve(own, unquoted(line))).catch(orNothing);
    if (path !== null) found.push(...(await withBorrowed(path, deep + 1)));
  }
  return [...new Set(found)].slice(0, BORROWED_MAX);
}

function unquoted(line: string): string {
  return line.startsWith('"') ? line.slice(1, line.lastIndexOf('"')).replace(/\\(["\\])/g, "$1") : line;
}

const SMALL_BYTES_MAX = 65_536;

/**
 * A small regular file by its real path; null when it is missing or there is a link in the path. Does not block on a
 * pipe.
 */
export async function readSmall(path: string, bytesMax = SMALL_BYTES_MAX): Promise<string | null> {
  await using file = await holdFile(path);
  if (file === null) return null;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytesMax), 0, bytesMax, 0);
  return bytesRead === bytesMax ? null : buffer.subarray(0, bytesRead).toString();
}

function orNothing(thrown: unknown): null {
  if (["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "ENXIO"].includes(errno(thrown) ?? "")) return null;
  throw thrown;
}

function notAsItSays(path: string, reason: string): HostError {
  return new HostError("repository_invalid", `${path} cannot be used: ${reason}`, {
    remedy: "name the repository itself, or repair it (`git worktree repair`)",
    details: { path, reason },
  });
}

import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { UNREACHABLE, unless } from "../errno.ts";

/** Relative paths. */
export interface GitDirs {
  /** Git dirs, bare repositories, and files that point to one; the empty path is the directory itself. */
  readonly found: readonly string[];
  /** Links named like a git dir: whoever may write around one can replace it. */
  readonly links: readonly string[];
  /** False when the limit was reached, so that a git dir may be missing here. */
  readonly isWhole: boolean;
  /** The first few folders that were not searched. */
  readonly unseen: readonly string[];
}

const LOOKED = { depth: 32, entries: 100_000, found: 256 } as const;
const UNSEEN_SHOWN = 5;
/** Many names and hardly ever a repository, so it is searched last. */
const LAST: readonly string[] = ["node_modules"];

/**
 * Finds git dirs of the repository itself, of nested ones, and of many side by side. No folder is skipped by name;
 * unsearched folders are reported. `not` is a folder that a session does not see.
 */
export function gitDirsBelow(root: string, not: string | null = null): GitDirs {
  const seen: Seen = { found: [], links: [], unseen: [], looked: 0 };
  let later: readonly string[] = walk(root, not, [""], seen, (name) => LAST.includes(name));
  while (later.length > 0) later = walk(root, not, later, seen, () => false);
  const { found, links, unseen } = seen;
  return { found, links, isWhole: unseen.length === 0, unseen: unseen.slice(0, UNSEEN_SHOWN) };
}

interface Seen {
  readonly found: string[];
  readonly links: string[];
  readonly unseen: string[];
  looked: number;
}

/** Returns the folders to search later. */
function walk(
  root: string,
  not: string | null,
  start: readonly string[],
  seen: Seen,
  isForLater: (name: string) => boolean,
): readonly string[] {
  const later: string[] = [];
  let pending = start;
  while (pending.length > 0) {
    const next: string[] = [];
    for (const here of pending) {
      if (join(root, here) === not) continue;
      const isEnough = seen.looked > LOOKED.entries || seen.found.length >= LOOKED.found;
      const entries = isEnough || depthOf(here) > LOOKED.depth ? null : entriesOf(join(root, here));
      if (entries === null) {
        seen.unseen.push(here);
        continue;
      }
      seen.looked += entries.length;
      if (isGitDir(entries)) {
        seen.found.push(here);
        continue;
      }
      // On a case-insensitive file system git accepts any spelling of `.git`.
      const own = entries.filter(({ name }) => name.toLowerCase() === ".git");
      for (const entry of own) (entry.isSymbolicLink() ? seen.links : seen.found).push(join(here, entry.name));
      for (const entry of entries)
        if (entry.isDirectory() && !own.includes(entry))
          (isForLater(entry.name) ? later : next).push(join(here, entry.name));
    }
    pending = next;
  }
  return later;
}

function depthOf(path: string): number {
  return path === "" ? 0 : path.split("/").length;
}

/** Null when it cannot be read; its owner could make it readable later. */
function entriesOf(path: string): Dirent[] | null {
  return unless<Dirent[]>(UNREACHABLE, () => readdirSync(path, { withFileTypes: true }));
}

const PARTS = ["HEAD", "objects", "refs"];

/** By the same criteria as git, whatever its name. */
function isGitDir(entries: readonly Dirent[]): boolean {
  return PARTS.every((part) => entries.some(({ name }) => name === part));
}

import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { UNREACHABLE, unless } from "../errno.ts";

/** By their paths below. */
export interface GitDirs {
  /** Git dirs, bare repositories, and files that lead to one; the empty path for the directory itself. */
  readonly found: readonly string[];
  /** Links by the name of a git dir: whoever may write around one can put another in its place. */
  readonly links: readonly string[];
  /** False: there was more than is looked at, and a git dir may have gone unseen. */
  readonly isWhole: boolean;
  /** The first few folders that were not looked into. */
  readonly unseen: readonly string[];
}

const LOOKED = { depth: 32, entries: 100_000, found: 256 } as const;
const UNSEEN_SHOWN = 5;
/** Very many names and hardly ever a repository: looked into when all else was. */
const LAST: readonly string[] = ["node_modules"];

/**
 * Of the repository itself, of those in it, and of many that lie side by side. No folder is left out by its name: what was
 * not looked into is told. `not` is a folder that a session does not see, whatever is in it.
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

/** Answers the folders that it put off. */
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
      // Where a file system does not tell capitals from small letters, git takes any of them.
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

/** Null: it cannot be read; its owner could make it readable. */
function entriesOf(path: string): Dirent[] | null {
  return unless<Dirent[]>(UNREACHABLE, () => readdirSync(path, { withFileTypes: true }));
}

const PARTS = ["HEAD", "objects", "refs"];

/** As git itself tells one, whatever it is called. */
function isGitDir(entries: readonly Dirent[]): boolean {
  return PARTS.every((part) => entries.some(({ name }) => name === part));
}

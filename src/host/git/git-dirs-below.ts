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
}

const LOOKED = { depth: 4, entries: 50_000, found: 64 } as const;
const NOT_LOOKED_INTO: readonly string[] = ["node_modules"];

/** Of the repository itself, of those in it, and of many that lie side by side. Not endlessly deep. */
export function gitDirsBelow(root: string): GitDirs {
  const found: string[] = [];
  const links: string[] = [];
  let pending: readonly string[] = [""];
  let looked = 0;
  for (let depth = 0; depth <= LOOKED.depth && pending.length > 0; depth += 1) {
    const next: string[] = [];
    for (const here of pending) {
      if (looked > LOOKED.entries || found.length >= LOOKED.found) return { found, links, isWhole: false };
      const entries = unless<Dirent[]>(UNREACHABLE, () => readdirSync(join(root, here), { withFileTypes: true })) ?? [];
      looked += entries.length;
      if (isGitDir(entries)) {
        found.push(here);
        continue;
      }
      const own = entries.find(({ name }) => name === ".git");
      if (own !== undefined) (own.isSymbolicLink() ? links : found).push(join(here, ".git"));
      const inside = entries.filter((entry) => entry !== own && entry.isDirectory());
      next.push(...inside.filter(({ name }) => !NOT_LOOKED_INTO.includes(name)).map(({ name }) => join(here, name)));
    }
    pending = next;
  }
  return { found, links, isWhole: pending.length === 0 };
}

const PARTS = ["HEAD", "objects", "refs"];

/** As git itself tells one, whatever it is called. */
function isGitDir(entries: readonly Dirent[]): boolean {
  return PARTS.every((part) => entries.some(({ name }) => name === part));
}

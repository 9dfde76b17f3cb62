import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { UNREACHABLE, unless } from "../errno.ts";

const LOOKED = { depth: 4, entries: 5_000, found: 64 } as const;
const NOT_LOOKED_INTO: readonly string[] = [".git", "node_modules"];

/** By their paths below: of the repository itself, of those in it, and of many that lie side by side. Not endlessly deep. */
export function gitDirsBelow(root: string): readonly string[] {
  const found: string[] = [];
  let pending: readonly string[] = [""];
  let looked = 0;
  for (let depth = 0; depth <= LOOKED.depth && pending.length > 0; depth += 1) {
    const next: string[] = [];
    for (const here of pending) {
      if (looked > LOOKED.entries || found.length >= LOOKED.found) return found;
      const entries = unless<Dirent[]>(UNREACHABLE, () => readdirSync(join(root, here), { withFileTypes: true })) ?? [];
      looked += entries.length;
      if (entries.some((entry) => entry.name === ".git" && !entry.isSymbolicLink())) found.push(join(here, ".git"));
      const inside = entries.filter((entry) => entry.isDirectory() && !NOT_LOOKED_INTO.includes(entry.name));
      next.push(...inside.map(({ name }) => join(here, name)));
    }
    pending = next;
  }
  return found;
}

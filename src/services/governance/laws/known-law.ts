import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { KnownLaw } from "../../../governance/index.ts";
import { isInside } from "../../../host/index.ts";
import type { LawCache } from "./law-cache.ts";

/** The law that is kept for a real path; null where its files are those of another worktree than the law was read in. */
export function knownLaws(laws: LawCache): (cwd: string) => Promise<KnownLaw | null> {
  return async (cwd) => {
    const held = await laws.at(cwd);
    const root = held?.governed.root ?? null;
    if (held === null || root === null || !isInside(root, cwd) || !(await isOwn(root, cwd))) return null;
    return { governed: held.governed, compiled: held.compiled };
  };
}

/** Whether no other repository or worktree begins between the two. */
async function isOwn(root: string, cwd: string): Promise<boolean> {
  for (let at = cwd; at !== root; at = dirname(at))
    if ((await lstat(join(at, ".git")).catch(() => null)) !== null) return false;
  return true;
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { isInside } from "../../host/index.ts";

/** The worktree that contains a directory, and the object directories that its git dir needs to read. */
export interface TreeAround {
  readonly path: string;
  readonly readable: readonly string[];
}

/** A file that the daemon writes and no session can reach. */
const Held = z.object({ objectDirs: z.array(z.string()) });

export function treeAround(worktrees: string, cwd: string): TreeAround | null {
  if (!isInside(worktrees, cwd)) return null;
  const [id = "", tree] = cwd.slice(worktrees.length + 1).split("/");
  if (tree !== "tree") return null;
  const { objectDirs } = Held.parse(JSON.parse(readFileSync(join(worktrees, id, "worktree.json"), "utf8")));
  return { path: join(worktrees, id, "tree"), readable: objectDirs };
}

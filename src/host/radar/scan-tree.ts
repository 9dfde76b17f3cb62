import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { entriesOf, matchedByRules } from "../worktrees/left-files.ts";
import type { WorktreePlace } from "../worktrees/worktree-record.ts";
import type { BaseFacts, Ground } from "./radar-ground.ts";

/** More changed files than this are not compared. */
export const PATHS_MAX = 20_000;
const LOOKED_MAX = 200_000;

export interface Scanned {
  readonly paths: readonly string[];
  /** There are more. */
  readonly isCut: boolean;
}

/** Looks through a whole tree for files that may differ from its base. Ignore rules are those of the person. */
export async function scanTree({ view }: Ground, place: WorktreePlace, base: BaseFacts): Promise<Scanned> {
  const { tree, index } = place;
  const where = { indexFile: index, workTree: tree };
  // Compared with the index that was made with the tree: nobody can have marked a file as unchanged in it.
  const changed = namesIn(await view.git.must(["diff-files", "--name-only", "-z", "--ignore-submodules=all"], where));
  const found = changed.slice(0, PATHS_MAX);
  const listed = await view.git.must(["ls-files", "--others", "--directory", "-z"], where);
  let pending = namesIn(listed);
  for (let looked = 0; pending.length > 0 && found.length < PATHS_MAX && looked < LOOKED_MAX; ) {
    looked += pending.length;
    const ignored = await matchedByRules(view, base.rules, pending);
    const left = pending.filter((path) => !ignored.has(path));
    found.push(...left.filter((path) => !path.endsWith("/")));
    pending = [];
    for (const folder of left.filter((path) => path.endsWith("/")))
      if (!(await isRepository(tree, folder))) pending.push(...(await entriesOf(tree, folder).catch(() => [])));
  }
  return { paths: found.slice(0, PATHS_MAX), isCut: found.length > PATHS_MAX || changed.length > PATHS_MAX };
}

/** Names that are no text cannot be told, so they are not compared. */
export function namesIn(listed: Buffer): string[] {
  return listed
    .toString()
    .split("\0")
    .filter((path) => path !== "" && !path.includes("\ufffd"));
}

async function isRepository(tree: string, folder: string): Promise<boolean> {
  return (await lstat(join(tree, folder, ".git")).catch(() => null)) !== null;
}

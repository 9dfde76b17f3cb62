import type { GitRunner } from "./run-git.ts";

/** A file or a link as git stores it. `160000` is a submodule. */
export interface Entry {
  readonly mode: string;
  readonly id: string;
}

/** One path that differs between two trees. */
export interface TreeDifference {
  readonly path: string;
  readonly before: Entry | null;
  readonly after: Entry | null;
}

/** Both sides of a rename are listed: each path is judged by itself. */
export async function treeDifferences(
  git: GitRunner,
  before: string,
  after: string,
): Promise<readonly TreeDifference[]> {
  const told = (await git.must(["diff-tree", "-r", "-z", "--raw", "--no-renames", before, after])).toString();
  const parts = told.split("\0");
  const found: TreeDifference[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, was = "", is = "", wasId = "", isId = ""] = /^:(\d+) (\d+) (\w+) (\w+) /.exec(parts[at] ?? "") ?? [];
    found.push({ path: parts[at + 1] ?? "", before: entryOf(was, wasId), after: entryOf(is, isId) });
  }
  return found;
}

function entryOf(mode: string, id: string): Entry | null {
  return /^0+$/.test(mode) ? null : { mode, id };
}

/** The id of the tree without entries; git knows it, but a store may not hold it. */
export function emptyTree(git: GitRunner): Promise<string> {
  return git.text(["hash-object", "-w", "-t", "tree", "--stdin"]);
}

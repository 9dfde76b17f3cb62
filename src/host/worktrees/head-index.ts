import { lstat, readFile, utimes } from "node:fs/promises";
import { join } from "node:path";
import type { GitRunner } from "../git/run-git.ts";
import { refuseManyFiles, type TreeBounds } from "../git/tree-bounds.ts";
import { copyWithTimes } from "./create-worktree.ts";
import type { WorktreePlace, WorktreeRecord } from "./worktree-record.ts";

/** An index that holds exactly what HEAD's commit tracks, in which nobody can have marked a file as unchanged. */
export interface HeadIndex {
  readonly commit: string | null;
  /** Only read. */
  readonly file: string;
}

/** While HEAD is still at the base, it is the index that was made with the worktree, and nothing has to be counted. */
export async function indexOfHead(
  git: GitRunner,
  place: WorktreePlace,
  { base }: Pick<WorktreeRecord, "base">,
  commit: string | null,
  scratch: { readonly indexFile: string; readonly bounds: TreeBounds },
): Promise<HeadIndex> {
  const made = await lstat(place.index).catch(() => null);
  if (commit !== null && commit === base && made?.isFile() === true) return { commit, file: place.index };
  const { indexFile, bounds } = scratch;
  if (commit !== null) await refuseManyFiles(git, commit, bounds);
  if (made !== null) await copyWithTimes(place.index, indexFile);
  // `--reset`: files that changed since the base are no reason to refuse. Only the index is written.
  // Needs the tree: a file changed in the same second as the index can only be found by its contents.
  const options = { indexFile, workTree: place.tree };
  await git.must(commit === null ? ["read-tree", "--empty"] : ["read-tree", "--reset", commit], options);
  return { commit, file: indexFile };
}

/**
 * Git compares the contents of files that are as new as the index, to the second: a later write in that second would
 * leave no trace. After a checkout these are very many. Once git has compared them and the second is long over, every
 * later write shows in a change time, so the index made with the worktree may count as newer than they are.
 */
export async function settleIndex(
  place: WorktreePlace,
  { file }: HeadIndex,
  changed: readonly string[],
): Promise<void> {
  if (file !== place.index || changed.length > SETTLED_CHANGES_MAX) return;
  const { mtimeMs } = await lstat(file);
  const overMs = (Math.floor(mtimeMs / SECOND_MS) + 1) * SECOND_MS;
  const isSettled = mtimeMs % SECOND_MS === 0;
  if (isSettled || Date.now() < overMs + SETTLED_AFTER_MS) return;
  for (const path of changed) {
    const found = await lstat(join(place.tree, path)).catch(() => null);
    if (found !== null && found.ctimeMs < overMs) return;
  }
  await utimes(file, overMs / SECOND_MS, overMs / SECOND_MS);
}

const SECOND_MS = 1000;
/** Linux writes a mapped page back within 35 s; a write to it after that sets a new change time. */
const SETTLED_AFTER_MS = 60_000;
const SETTLED_CHANGES_MAX = 1000;

/** Everything in an index, listed when it is first needed. */
export interface IndexListing {
  readonly paths: () => Promise<ReadonlySet<string>>;
  /** Lines `<mode> <id> <stage>\t<path>`, one character per byte. */
  readonly lines: () => Promise<readonly string[]>;
  /** Paths of submodules. */
  readonly gitlinks: () => Promise<readonly string[]>;
}

export function listIndex(git: GitRunner, indexFile: string): IndexListing {
  let asked: Promise<Buffer> | null = null;
  const listed = (): Promise<Buffer> => {
    asked ??= git.must(["ls-files", "--stage", "-z"], { indexFile });
    return asked;
  };
  const split = (text: string): readonly string[] => text.split("\0").filter(Boolean);
  const paths = (lines: readonly string[]) => lines.map((line) => line.slice(line.indexOf("\t") + 1));
  return {
    paths: async () => new Set(paths(split((await listed()).toString()))),
    lines: async () => split((await listed()).toString("latin1")),
    gitlinks: async () => {
      // An index without these bytes has no submodule, whatever its version.
      if (!(await readFile(indexFile)).includes(GITLINK_MODE)) return [];
      return paths(split((await listed()).toString()).filter((line) => line.startsWith("160000 ")));
    },
  };
}

/** 160000 in octal, as an index stores it. */
const GITLINK_MODE = Buffer.from([0, 0, 0xe0, 0]);

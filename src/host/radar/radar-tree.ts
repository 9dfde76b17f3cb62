import { join } from "node:path";
import type { GitRunner } from "../git/run-git.ts";
import { matchedByRules } from "../worktrees/left-files.ts";
import { placeIn, readRecord, type WorktreePlace, type WorktreeRecord } from "../worktrees/worktree-record.ts";
import { type BaseFacts, cameFrom, type Ground, groundOf } from "./radar-ground.ts";
import { namesIn, PATHS_MAX, scanTree } from "./scan-tree.ts";
import type { Change } from "./take-changes.ts";
import { createTreePaths, type TreePaths } from "./watch/tree-paths.ts";
import { createFolderWatch, type FolderWatch } from "./watch/watch-folders.ts";

/** What the radar knows of one worktree. */
export interface RadarTree {
  readonly id: string;
  readonly place: WorktreePlace;
  readonly record: WorktreeRecord;
  readonly key: string;
  /** The branch that it came from; null when there is none. */
  readonly branch: string | null;
  /** Paths that differ from the base, or may. */
  readonly paths: TreePaths;
  /** Those that changed since the last look. */
  readonly dirty: Set<string>;
  /** Those that differ, as of the last look. */
  readonly changes: Map<string, Change>;
  /** Changes that the branch holds already, and the branch's commit that says so. */
  landed: { readonly tip: string | null; readonly paths: ReadonlySet<string> };
  /** Counts what may change whether it meets another tree. */
  revision: number;
  /** Null: it has not been watched yet, or need not be. */
  watch: FolderWatch | null;
  /** It has to be looked through as a whole. */
  wantsScan: boolean;
  scannedMs: number;
  /** It was looked through once, so no change is missing. */
  isScanned: boolean;
  lookedMs: number;
  /** A commit of its work as of the last look; null: it must be written anew. */
  commit: string | null;
  /** Why the last look failed; it is tried again when something changes. */
  fault: string | null;
}

/** Null when there is no such worktree. */
export async function openTree(git: GitRunner, folder: string, id: string) {
  const place = placeIn(join(folder, id));
  const record = await readRecord(place);
  if (record === null) return null;
  const found = await groundOf(git, record);
  const tree: RadarTree = {
    ...{ id, place, record, key: found.key, branch: await cameFrom(place, record, found.user) },
    ...{ paths: createTreePaths(), dirty: new Set(), changes: new Map(), landed: { tip: null, paths: new Set() } },
    ...{
      watch: null,
      wantsScan: true,
      isScanned: false,
      scannedMs: Number.NEGATIVE_INFINITY,
      lookedMs: Number.NEGATIVE_INFINITY,
    },
    ...{ revision: 0, commit: null, fault: null },
  };
  return { tree, found };
}

/** The person's commit that a tree's changes are told against. A fork's commit may be its agent's. */
export function originOf({ userBase, base }: WorktreeRecord): string | null {
  return userBase ?? base;
}

export async function watchTree(
  tree: RadarTree,
  ground: () => Ground | null,
  budget: { folders: number },
  onChange: () => void,
): Promise<void> {
  const baseIn = (one: Ground) => one.baseOf(originOf(tree.record));
  const first = ground();
  if (first === null) return;
  const { folders: tracked } = await baseIn(first);
  // The ground may be another one by then.
  const ignored = async (folders: readonly string[]) => {
    const now = ground();
    return now === null ? new Set<string>() : matchedByRules(now.view, (await baseIn(now)).rules, folders);
  };
  tree.watch = await createFolderWatch({ tree: tree.place.tree, tracked, ignored, budget, onChange });
}

/** Takes up what the system told of changes. */
export async function takeEvents(tree: RadarTree): Promise<void> {
  if (tree.watch === null) return;
  const { paths, isCut } = await tree.watch.take();
  for (const path of paths) touch(tree, path);
  if (isCut) tree.wantsScan = true;
}

/** Looks through the whole tree. What is no longer changed is found by the next look. */
export async function scanPaths(tree: RadarTree, ground: Ground, base: BaseFacts): Promise<void> {
  tree.wantsScan = false;
  const { paths } = await scanTree(ground, tree.place, base);
  const inherited = await inheritedPaths(tree, ground);
  for (const path of [...paths, ...inherited, ...tree.changes.keys()]) touch(tree, path);
}

/** What the commit of a fork differs in from the person's. */
async function inheritedPaths({ record }: RadarTree, { view }: Ground): Promise<readonly string[]> {
  const origin = originOf(record);
  if (origin === null || record.base === null || origin === record.base) return [];
  return namesIn(await view.git.must(["diff-tree", "-r", "-z", "--name-only", "--no-renames", origin, record.base]));
}

function touch(tree: RadarTree, path: string): void {
  if (tree.paths.size() >= PATHS_MAX && !tree.paths.has(path)) return;
  tree.paths.add(path);
  tree.dirty.add(path);
  tree.revision += 1;
}

/** Whether the work of two trees may collide: they touch the same path, or one touches a folder above it. */
export function meet(a: RadarTree, b: RadarTree): boolean {
  const [few, many] = a.paths.size() <= b.paths.size() ? [a, b] : [b, a];
  for (const path of few.paths.all()) if (many.paths.meets(path) && !isHome(a, path) && !isHome(b, path)) return true;
  return false;
}

/** On the branch already: it collides with nobody but those who collide with the branch. */
function isHome({ landed, dirty }: RadarTree, path: string): boolean {
  return landed.paths.has(path) && !dirty.has(path);
}

/** Whether all that the tree changed is on its branch. */
export function isLanded({ changes, landed, dirty }: RadarTree): boolean {
  return dirty.size === 0 && changes.size > 0 && [...changes.keys()].every((path) => landed.paths.has(path));
}

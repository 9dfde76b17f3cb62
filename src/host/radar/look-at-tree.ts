import type { Entry } from "../git/tree-diff.ts";
import { mergePair } from "./merge/merge-pair.ts";
import { writeCommit } from "./merge/write-commit.ts";
import type { Ground } from "./radar-ground.ts";
import { originOf, type RadarTree } from "./radar-tree.ts";
import { type Change, entriesAt, type TakenChange, takeChanges } from "./take-changes.ts";

/** Paths of one look. With more, the rest is looked at next time. */
const LOOK_PATHS_MAX = 2000;

/** Reads what changed since the last look. Afterwards `changes` is right for these paths and `commit` holds them. */
export async function lookAtTree(
  tree: RadarTree,
  ground: Ground,
  { fileBytesMax, first }: { readonly fileBytesMax: number; readonly first: (path: string) => boolean },
): Promise<void> {
  const origin = originOf(tree.record);
  const base = await ground.baseOf(origin);
  const dirty = [...tree.dirty];
  // The ones that another tree touches as well come first.
  const wanted =
    dirty.length <= LOOK_PATHS_MAX
      ? dirty
      : [...dirty.filter(first), ...dirty.filter((path) => !first(path))].slice(0, LOOK_PATHS_MAX);
  // A write that comes now makes them dirty again.
  for (const path of wanted) tree.dirty.delete(path);
  const contents = new Map<string, TakenChange>();
  try {
    const { changed, same } = await takeChanges(ground, tree, base, wanted, fileBytesMax);
    let isNew = tree.commit === null;
    for (const path of same) {
      if (tree.changes.delete(path)) isNew = true;
      if (!tree.dirty.has(path)) tree.paths.drop(path);
    }
    for (const change of changed) {
      const { content: _content, ...kept } = change;
      if (tree.changes.get(change.path)?.entry?.id !== change.entry?.id || !tree.changes.has(change.path)) isNew = true;
      tree.changes.set(change.path, kept);
      contents.set(change.path, change);
    }
    tree.revision += 1;
    if (!isNew) return;
    const all: (Change | TakenChange)[] = [...tree.changes.values()].map((one) => contents.get(one.path) ?? one);
    tree.commit = await writeCommit(ground.view, origin, all);
    tree.landed = { tip: null, paths: new Set() };
    ground.written += 1;
  } catch (thrown) {
    for (const path of wanted) tree.dirty.add(path);
    tree.commit = null;
    throw thrown;
  }
}

/** Makes everything of a tree new for the next look, as after its objects went away. */
export function forgetLook(tree: RadarTree): void {
  tree.commit = null;
  for (const path of tree.changes.keys()) {
    tree.paths.add(path);
    tree.dirty.add(path);
  }
}

/** Finds out which changes the branch holds already: the same bytes, or bytes that a merge would leave as they are. */
export async function findLanded(tree: RadarTree, ground: Ground, tip: string | null): Promise<void> {
  if (tree.landed.tip === tip) return;
  const paths = new Set<string>();
  if (tip !== null && tip !== originOf(tree.record)) {
    const there = await entriesAt(ground.view, tip, [...tree.changes.keys()]);
    const moved: string[] = [];
    for (const { path, entry, base, isLarge } of tree.changes.values()) {
      const at = there.get(path) ?? null;
      if (isLarge) continue;
      if (isSame(at, entry)) paths.add(path);
      else if (!isSame(at, base)) moved.push(path);
    }
    for (const path of await mergedAlready(tree, ground, tip, { moved, there })) paths.add(path);
  }
  tree.landed = { tip, paths };
  tree.revision += 1;
}

/** Paths that both changed and in which a merge brings the branch nothing new: it holds the work among others'. */
async function mergedAlready(
  { commit }: RadarTree,
  { view }: Ground,
  tip: string,
  { moved, there }: { readonly moved: readonly string[]; readonly there: ReadonlyMap<string, Entry> },
): Promise<readonly string[]> {
  if (commit === null || moved.length === 0) return [];
  const { tree, stages, conflicts } = await mergePair(view, tip, commit);
  // Of a file in conflict git may leave what the branch has.
  const colliding = new Set([...stages.keys(), ...conflicts.flatMap(({ paths }) => paths)]);
  const merged = await entriesAt(view, tree, moved);
  return moved.filter((path) => !colliding.has(path) && isSame(merged.get(path) ?? null, there.get(path) ?? null));
}

function isSame(one: Entry | null, other: Entry | null): boolean {
  return one?.id === other?.id && one?.mode === other?.mode;
}

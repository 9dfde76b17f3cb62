import { compareTrees } from "../diff/compare.ts";
import type { Objects } from "../packs/objects.ts";
import type { SnapshotRecord } from "../packs/record.ts";
import { type ByteName, shownName } from "../walk/byte-path.ts";
import type { RestorePlan } from "./restore-plan.ts";
import { TEMPORARY_PREFIX } from "./temporary-name.ts";

const NAMES_MAX = 1000;
export function shownNames(names: Iterable<ByteName>): readonly string[] {
  return [...names].slice(0, NAMES_MAX).map(shownName);
}

/** A name whose kind changes counts as restored, not as removed. */
export function namesIn({ remove, create, same, settings }: RestorePlan): {
  readonly changed: number;
  readonly restored: readonly string[];
  readonly removed: readonly string[];
} {
  const made = new Set([...create, ...same, ...settings].map(({ path }) => path));
  const gone = remove.filter(({ path }) => !made.has(path)).map(({ path }) => path);
  const changed = remove.length + create.length + same.length;
  return { changed, restored: shownNames([...made].filter((path) => path !== "")), removed: shownNames(gone) };
}

/**
 * Names that match neither the state before nor the target: somebody else changed them meanwhile. Leftovers of a killed
 * restore do not count.
 */
export function changedMeanwhile(
  objects: Pick<Objects, "get">,
  before: SnapshotRecord,
  now: SnapshotRecord,
  target: SnapshotRecord,
): readonly ByteName[] {
  const toDo = new Set([...compareTrees(objects, now.listing, target.listing)].map(({ path }) => path));
  const changed = [...compareTrees(objects, before.listing, now.listing)].map(({ path }) => path);
  const isTopChanged = before.mode !== now.mode && now.mode !== target.mode;
  return [...changed.filter((path) => toDo.has(path) && !isTemporary(path)), ...(isTopChanged ? [""] : [])];
}

function isTemporary(path: ByteName): boolean {
  return path.slice(path.lastIndexOf("/") + 1).startsWith(TEMPORARY_PREFIX);
}

import type { Objects } from "../packs/objects.ts";
import type { ByteName } from "../walk/byte-path.ts";
import { decodeListing, type Entry } from "../walk/listing.ts";

/**
 * How one name differs between two trees. A directory that was added or removed is reported with everything in it. An
 * entry that can no longer be read, so that its change is unknown, has `left-out` as `after`.
 */
export interface Change {
  readonly path: ByteName;
  readonly before: Entry | null;
  readonly after: Entry | null;
}

/** Yields changes in path order. The cost depends on the differences: equal hashes are not read. */
export function* compareTrees(
  objects: Pick<Objects, "get">,
  before: string | null,
  after: string | null,
  above: ByteName = "",
): Generator<Change> {
  if (before === after) return;
  for (const { name, old, now } of pairs(listed(objects, before), listed(objects, after))) {
    // An entry that is left out on one side cannot be compared with the other side.
    const path = above === "" ? name : `${above}/${name}`;
    if (now?.kind === "left-out" && now.target !== "" && old?.kind !== "left-out")
      yield { path, before: old, after: now };
    if (old?.kind === "left-out" || now?.kind === "left-out") continue;
    const [inOld, inNow] = [folderOf(old), folderOf(now)];
    if (inOld !== null && inNow !== null) {
      if (!isSameSetting(old, now)) yield { path, before: old, after: now };
      yield* compareTrees(objects, inOld, inNow, path);
      continue;
    }
    if (old !== null && now !== null && inOld === null && inNow === null) {
      if (!isSameContent(old, now) || !isSameSetting(old, now)) yield { path, before: old, after: now };
      continue;
    }
    if (old !== null) yield* alone(objects, path, old, "before");
    if (now !== null) yield* alone(objects, path, now, "after");
  }
}

function* alone(
  objects: Pick<Objects, "get">,
  path: ByteName,
  entry: Entry,
  side: "before" | "after",
): Generator<Change> {
  const change = { path, before: null, after: null };
  yield { ...change, [side]: entry };
  const inside = folderOf(entry);
  if (inside === null) return;
  yield* side === "before" ? compareTrees(objects, inside, null, path) : compareTrees(objects, null, inside, path);
}

export function listed(objects: Pick<Objects, "get">, listing: string | null): readonly Entry[] {
  return listing === null ? [] : decodeListing(objects.get(listing), listing);
}

/** The entry with this path; null when there is none. */
export function entryIn(objects: Pick<Objects, "get">, listing: string | null, path: ByteName): Entry | null {
  const [name = "", ...below] = path.split("/");
  const entry = listed(objects, listing).find((one) => one.name === name) ?? null;
  const inside = folderOf(entry);
  if (below.length === 0) return entry;
  return inside === null ? null : entryIn(objects, inside, below.join("/"));
}

export function folderOf(entry: Entry | null): string | null {
  return entry?.kind === "directory" ? entry.object : null;
}

export function isSameContent(a: Entry, b: Entry): boolean {
  return a.kind === b.kind && a.object === b.object && a.target === b.target;
}

export function isSameSetting(a: Entry | null, b: Entry | null, withOwner = true): boolean {
  return a?.mode === b?.mode && (!withOwner || (a?.uid === b?.uid && a?.gid === b?.gid));
}

/** Both lists are sorted by name. */
export function* pairs(
  before: readonly Entry[],
  after: readonly Entry[],
): Generator<{ readonly name: ByteName; readonly old: Entry | null; readonly now: Entry | null }> {
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [a, b] = [before[i] ?? null, after[j] ?? null];
    const isFirst = b === null || (a !== null && a.name < b.name);
    if (a !== null && isFirst) {
      yield { name: a.name, old: a, now: null };
      i += 1;
    } else if (b !== null && (a === null || b.name < a.name)) {
      yield { name: b.name, old: null, now: b };
      j += 1;
    } else if (a !== null && b !== null) {
      yield { name: a.name, old: a, now: b };
      i += 1;
      j += 1;
    }
  }
}

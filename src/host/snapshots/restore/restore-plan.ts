import { folderOf, isSameContent, isSameSetting, listed, pairs } from "../diff/compare.ts";
import type { Objects } from "../packs/objects.ts";
import type { SnapshotRecord } from "../packs/record.ts";
import type { ByteName } from "../walk/byte-path.ts";
import type { Entry } from "../walk/listing.ts";

/** The steps that turn one tree into another, in a possible order. */
export interface RestorePlan {
  /** Contents before their directory. */
  readonly remove: readonly { readonly path: ByteName; readonly isDirectory: boolean }[];
  /** Directories before their contents. */
  readonly create: readonly { readonly path: ByteName; readonly entry: Entry }[];
  /** Further hard links, after their file exists. */
  readonly same: readonly { readonly path: ByteName; readonly as: ByteName }[];
  /** Modes and owners of directories, set after their contents; the empty path is the top. */
  readonly settings: readonly Setting[];
  /** Sockets and devices, which cannot be made again. */
  readonly cannot: readonly ByteName[];
}

export interface Setting {
  readonly path: ByteName;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

export function isEmptyPlan({ remove, create, same, settings }: RestorePlan): boolean {
  return remove.length + create.length + same.length + settings.length === 0;
}

/** Which names a restore may change. The empty name is the top. */
export interface Meant {
  /** Null: every name. Otherwise hard links become separate files. */
  readonly only: ReadonlySet<ByteName> | null;
  /** Never changed. */
  readonly keep: ReadonlySet<ByteName>;
}

const EVERYTHING: Meant = { only: null, keep: new Set() };

export function planRestore(
  objects: Pick<Objects, "get">,
  from: SnapshotRecord,
  to: SnapshotRecord,
  withOwner: boolean,
  { only, keep }: Meant = EVERYTHING,
): RestorePlan {
  const isMeant = (path: ByteName): boolean => (only === null || only.has(path)) && !keep.has(path);
  const remove: { path: ByteName; isDirectory: boolean }[] = [];
  const create: { path: ByteName; entry: Entry }[] = [];
  const settings: Setting[] = [];
  const cannot: ByteName[] = [];

  const removeAll = (path: ByteName, entry: Entry): void => {
    const inside = listed(objects, folderOf(entry));
    for (const inner of inside) if (inner.kind !== "left-out") removeAll(`${path}/${inner.name}`, inner);
    if (isMeant(path)) remove.push({ path, isDirectory: entry.kind === "directory" });
  };
  const createAll = (path: ByteName, entry: Entry): void => {
    if (entry.kind === "left-out") return;
    if (isUnmakeable(entry)) return void (isMeant(path) && cannot.push(path));
    if (isMeant(path)) create.push({ path, entry });
    for (const inner of listed(objects, folderOf(entry))) createAll(`${path}/${inner.name}`, inner);
    if (entry.kind === "directory" && isMeant(path)) settings.push(settingOf(path, entry));
  };

  const descend = (above: ByteName, old: string, now: string): void => {
    if (old === now) return;
    for (const { name, old: a, now: b } of pairs(listed(objects, old), listed(objects, now))) {
      if (a?.kind === "left-out" || b?.kind === "left-out") continue;
      const path = above === "" ? name : `${above}/${name}`;
      if (a?.kind === "directory" && b?.kind === "directory") {
        descend(path, a.object, b.object);
        if (!isSameSetting(a, b, withOwner) && isMeant(path)) settings.push(settingOf(path, b));
        continue;
      }
      if (a !== null && b !== null && isSameContent(a, b) && (isSameSetting(a, b, withOwner) || isUnmakeable(b)))
        continue;
      // A file can replace a file. A directory must be removed first, and so must anything that a directory replaces.
      if (a !== null && (b === null || a.kind === "directory" || b.kind === "directory" || isUnmakeable(b)))
        removeAll(path, a);
      if (b !== null) createAll(path, b);
    }
  };

  descend("", from.listing, to.listing);
  if (isMeant("") && !isSameTop(from, to, withOwner))
    settings.push({ path: "", mode: to.mode, uid: to.uid, gid: to.gid });
  const linked = only === null ? relink(objects, from, to, create, isMeant) : { create, same: [] };
  // Deepest first: a directory that is closed again cannot be entered.
  const deepestFirst = settings.toSorted((a, b) => depthOf(b.path) - depthOf(a.path));
  return { remove, cannot, settings: deepestFirst, ...linked };
}

/**
 * Groups of hard links that exist only before or only after. The first name of a group is written again, and the others
 * are linked to it.
 */
function relink(
  objects: Pick<Objects, "get">,
  from: SnapshotRecord,
  to: SnapshotRecord,
  create: readonly { readonly path: ByteName; readonly entry: Entry }[],
  isMeant: (path: ByteName) => boolean,
): Pick<RestorePlan, "create" | "same"> {
  if (from.sameFiles.length + to.sameFiles.length === 0) return { create, same: [] };
  const created = new Set(create.map(({ path }) => path));
  const key = (group: readonly ByteName[]): string => group.join("\0");
  const [had, wanted] = [new Set(from.sameFiles.map(key)), new Set(to.sameFiles.map(key))];
  const isKept = (group: readonly ByteName[]): boolean =>
    had.has(key(group)) && wanted.has(key(group)) && !group.some((path) => created.has(path));
  const more = new Map<ByteName, Entry>();
  const again = (path: ByteName): void => {
    const entry = created.has(path) ? null : entryAtPath(objects, to.listing, path);
    if (entry?.kind === "file" || entry?.kind === "chunked") more.set(path, entry);
  };
  const as = new Map<ByteName, ByteName>();
  for (const group of from.sameFiles) if (!isKept(group)) group.filter(isMeant).forEach(again);
  for (const group of to.sameFiles) {
    const [first, ...others] = group.filter(isMeant);
    if (first === undefined || isKept(group)) continue;
    again(first);
    for (const path of others) as.set(path, first);
  }
  const all = [...create, ...[...more].map(([path, entry]) => ({ path, entry }))];
  return {
    create: all.filter(({ path }) => !as.has(path)),
    same: [...as].map(([path, first]) => ({ path, as: first })),
  };
}

function entryAtPath(objects: Pick<Objects, "get">, listing: string, path: ByteName): Entry | null {
  let [place, found]: [string | null, Entry | null] = [listing, null];
  for (const part of path.split("/")) {
    found = listed(objects, place).find(({ name }) => name === part) ?? null;
    place = folderOf(found);
  }
  return found;
}

function settingOf(path: ByteName, { mode, uid, gid }: Entry): Setting {
  return { path, mode, uid, gid };
}

function isUnmakeable({ kind }: Entry): boolean {
  return kind === "socket" || kind === "device";
}

export function isSameTop(a: SnapshotRecord, b: SnapshotRecord, withOwner: boolean): boolean {
  return a.mode === b.mode && (!withOwner || (a.uid === b.uid && a.gid === b.gid));
}

function depthOf(path: ByteName): number {
  return path === "" ? 0 : path.split("/").length;
}

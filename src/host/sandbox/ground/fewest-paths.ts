import { type Identity, identityAt } from "../own-place.ts";

/** A file or directory inside a writable directory that a session may only read. */
export interface Held {
  readonly path: string;
  /** Its identity when it was found. If something else is there at mount time, nothing is started. */
  readonly is: Identity;
}

export interface Found {
  /** Bytes as a string (latin1). */
  readonly path: string;
  /** Null for a directory that was not searched. */
  readonly is: Identity | null;
}

export interface Fewest {
  readonly held: readonly Held[];
  /** How many mounts this takes, including parent directories. */
  readonly mounts: number;
}

interface Place {
  readonly path: string;
  readonly inner: Map<string, Place>;
  found: Found | null;
}

/** Longer paths cannot be passed to bubblewrap. */
const PATH_MAX_BYTES = 2_048;

/**
 * The paths that cover everything found and little else, within the limit of mounts: for example one folder instead of
 * the thousands of files of a package store. Null when only the root itself would do.
 */
export function fewestPaths(root: string, found: readonly Found[], mountsMax: number): Fewest | null {
  const top = placesOf(Buffer.from(root, "utf8").toString("latin1"), found);
  const held: Place[] = [];
  const pending = [top];
  let onTheWay = 0;
  for (let place = pending.shift(); place !== undefined; place = pending.shift()) {
    const inner = [...place.inner.values()];
    const mounts = held.length + pending.length + inner.length + onTheWay;
    const isApart = place.found === null && mounts < mountsMax && inner.every(isMountable);
    if (!isApart && place === top) return null;
    if (isApart) pending.push(...inner);
    else held.push(place);
    if (isApart && place !== top) onTheWay += 1;
  }
  return { held: held.flatMap(heldAt), mounts: held.length + onTheWay };
}

function placesOf(root: string, found: readonly Found[]): Place {
  const top: Place = { path: root, inner: new Map(), found: null };
  for (const one of found) {
    let place = top;
    for (const name of one.path.slice(root.length).split("/").filter(Boolean)) {
      const path = `${place.path}/${name}`;
      const next: Place = place.inner.get(name) ?? { path, inner: new Map(), found: null };
      place.inner.set(name, next);
      place = next;
    }
    place.found = one;
  }
  return top;
}

/** A path that is not valid text cannot be an argument, so its directory is mounted instead. */
function isMountable({ path }: Place): boolean {
  return path.length <= PATH_MAX_BYTES && Buffer.from(textOf(path), "utf8").toString("latin1") === path;
}

function textOf(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}

function heldAt({ path, found }: Place): Held[] {
  const text = textOf(path);
  const is = found?.is ?? identityAt(text);
  // A path that is gone needs no mount.
  return is === null ? [] : [{ path: text, is }];
}

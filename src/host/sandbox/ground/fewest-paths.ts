import { type Identity, identityAt } from "../own-place.ts";

/** A file or directory in writable ground that a session may read only. */
export interface Held {
  readonly path: string;
  /** What it was when it was looked at: mounted is this, or nothing is started. */
  readonly is: Identity;
}

export interface Found {
  /** Bytes in a string (latin1). */
  readonly path: string;
  /** Null: a directory that was not looked into. */
  readonly is: Identity | null;
}

export interface Fewest {
  readonly held: readonly Held[];
  /** How many mounts that takes, with those on the way. */
  readonly mounts: number;
}

interface Place {
  readonly path: string;
  readonly inner: Map<string, Place>;
  found: Found | null;
}

/** Longer ones could not be handed to whoever mounts them. */
const PATH_MAX_BYTES = 2_048;

/**
 * Paths that cover all that was found and little else, not more of them than can be mounted: one folder for the thousands
 * of files of a package store. Null: not without the root itself.
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

/** A path that is no text cannot be an argument: its directory is mounted instead. */
function isMountable({ path }: Place): boolean {
  return path.length <= PATH_MAX_BYTES && Buffer.from(textOf(path), "utf8").toString("latin1") === path;
}

function textOf(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}

function heldAt({ path, found }: Place): Held[] {
  const text = textOf(path);
  const is = found?.is ?? identityAt(text);
  // What is gone by now needs no mount.
  return is === null ? [] : [{ path: text, is }];
}

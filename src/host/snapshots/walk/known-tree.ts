import type { Stats } from "node:fs";
import type { ByteName } from "./byte-path.ts";
import type { Entry } from "./listing.ts";

/** What the last walk of a tree found: whatever still looks the same is not read again. */
export interface KnownTree {
  readonly dev: number;
  readonly ino: number;
  readonly ctimeMs: number;
  readonly mtimeMs: number;
  readonly isTrusted: boolean;
  readonly top: KnownDirectory;
}

export interface KnownDirectory {
  /** In the order of their names. */
  readonly entries: readonly KnownEntry[];
  readonly listing: string;
}

/** An entry, how its file looked when its bytes were read, and whether a later change must have made it look different. */
export interface KnownEntry extends Entry {
  readonly ino: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly links: number;
  readonly isTrusted: boolean;
  readonly directory: KnownDirectory | null;
  readonly why: string;
}

/**
 * The change time cannot be set by anybody, so that it tells every change; except one that comes within the same tick of
 * the file system's clock, and one through a mapping. A tick is 10 ms at most, and 2 s where only whole seconds are kept.
 */
export function isSettled(ctimeMs: number, quietSinceMs: number): boolean {
  return ctimeMs < quietSinceMs - (ctimeMs % 1000 === 0 ? COARSE_TICK_MS : TICK_MS);
}

const TICK_MS = 50;
const COARSE_TICK_MS = 2500;

/** Mode, owner and links are not compared: whatever changes them changes the change time. */
export function looksTheSame(known: KnownEntry, stat: Stats): boolean {
  return (
    stat.ctimeMs === known.ctimeMs &&
    stat.mtimeMs === known.mtimeMs &&
    stat.ino === known.ino &&
    (stat.size === known.size || (known.kind !== "file" && known.kind !== "chunked"))
  );
}

export const MODE_BITS = 0o7777;

export function entryAt(top: KnownDirectory, path: ByteName): KnownEntry | null {
  let [directory, found]: [KnownDirectory | null, KnownEntry | null] = [top, null];
  for (const part of path.split("/")) {
    found = findKnown(directory, part);
    directory = found?.directory ?? null;
  }
  return found;
}

export function findKnown(directory: KnownDirectory | null, name: ByteName): KnownEntry | null {
  if (directory === null) return null;
  let [low, high] = [0, directory.entries.length - 1];
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const entry = directory.entries[middle];
    if (entry === undefined) return null;
    if (entry.name === name) return entry;
    if (entry.name < name) low = middle + 1;
    else high = middle - 1;
  }
  return null;
}

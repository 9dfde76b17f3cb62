import type { Stats } from "node:fs";
import type { ByteName } from "./byte-path.ts";
import type { Entry } from "./listing.ts";

/** The result of the last walk of a tree: files that still look the same are not read again. */
export interface KnownTree {
  readonly dev: number;
  readonly ino: number;
  readonly ctimeMs: number;
  readonly mtimeMs: number;
  readonly isTrusted: boolean;
  readonly top: KnownDirectory;
}

export interface KnownDirectory {
  /** Sorted by name. */
  readonly entries: readonly KnownEntry[];
  readonly listing: string;
}

/** An entry, the metadata of its file when it was read, and whether a later change must be visible in that metadata. */
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
 * Nobody can set the change time, so it shows every change, except one within the same tick of the file system's clock
 * and one through a memory map. A tick is at most 10 ms, or 2 s where only whole seconds are stored.
 */
export function isSettled(ctimeMs: number, quietSinceMs: number): boolean {
  return ctimeMs < quietSinceMs - (ctimeMs % 1000 === 0 ? COARSE_TICK_MS : TICK_MS);
}

const TICK_MS = 50;
const COARSE_TICK_MS = 2500;

/** Mode, owner and links are not compared: a change of any of them changes the change time. */
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

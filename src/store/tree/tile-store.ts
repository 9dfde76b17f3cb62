import { HASH_BYTES } from "../../domains/index.ts";

/**
 * Storage of the tree in tiles, as in C2SP tlog-tiles: a tile holds up to 256 neighbouring hashes of one level. Level 0
 * holds leaves, level 1 the roots of full tiles of level 0, and so on. A full tile never changes.
 */
export interface TileStore {
  /** The durable head of the tree; null when there is none. */
  readonly head: () => Promise<TreeHead | null>;
  /** The first `width` hashes of a tile; null when missing. Every tile that the head covers should exist. */
  readonly read: (level: number, index: number, width: number) => Promise<Uint8Array | null>;
  /**
   * Flushed when it resolves: tiles first, then the head, so that the head never covers a missing tile. Without a head:
   * rewrites tiles that the head already covers.
   */
  readonly write: (tiles: readonly Tile[], head: TreeHead | null) => Promise<void>;
  /** Deletes the head first, then the tiles: a half-cleared tree has no head and is not used. */
  readonly clear: () => Promise<void>;
}

export interface Tile {
  readonly level: number;
  readonly index: number;
  /** Concatenated, without separators. */
  readonly hashes: Uint8Array;
}

export interface TreeHead {
  readonly size: number;
  readonly root: Uint8Array;
}

export const TILE_HEIGHT = 8;
export const TILE_WIDTH = 2 ** TILE_HEIGHT;

/** How many hashes the last, incomplete tile of a level has at this size; 0 when there is none. */
export function edgeWidth(size: number, level: number): number {
  return Math.floor(size / TILE_WIDTH ** level) % TILE_WIDTH;
}

/** The index of the incomplete tile, which is the number of full ones on its level. */
export function edgeIndex(size: number, level: number): number {
  return Math.floor(size / TILE_WIDTH ** (level + 1));
}

/** How many levels of tiles a tree of this size has. */
export function levelsOf(size: number): number {
  let levels = 0;
  for (let rest = size; rest > 0; rest = Math.floor(rest / TILE_WIDTH)) levels += 1;
  return levels;
}

export function hashIn(hashes: Uint8Array, at: number): Uint8Array {
  return hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES);
}

import { HASH_BYTES } from "../../kernel/index.ts";

/**
 * Where the tree lies, as C2SP tlog-tiles cuts it: a tile is up to 256 neighbouring hashes of one level of tiles. Level 0
 * holds leaves, level 1 the roots of full tiles of level 0, and so on. A full tile never changes.
 */
export interface TileStore {
  /** How far the tree has come, durably; null when there is none. */
  readonly head: () => Promise<TreeHead | null>;
  /** The first `width` hashes of a tile; null when they are not there. Any tile inside the head is. */
  readonly read: (level: number, index: number, width: number) => Promise<Uint8Array | null>;
  /**
   * Durable when it resolves: first the tiles, then the head, so that the head never promises what is not there. Without
   * a head: tiles that are inside of it already, written anew.
   */
  readonly write: (tiles: readonly Tile[], head: TreeHead | null) => Promise<void>;
  /** Takes the head away first, then the tiles: what is left of a half-cleared tree is no tree. */
  readonly clear: () => Promise<void>;
}

export interface Tile {
  readonly level: number;
  readonly index: number;
  /** Side by side, without anything between. */
  readonly hashes: Uint8Array;
}

export interface TreeHead {
  readonly size: number;
  readonly root: Uint8Array;
}

export const TILE_HEIGHT = 8;
export const TILE_WIDTH = 2 ** TILE_HEIGHT;

/** How many hashes the last, unfinished tile of a level has in a tree of this size; 0: there is none. */
export function edgeWidth(size: number, level: number): number {
  return Math.floor(size / TILE_WIDTH ** level) % TILE_WIDTH;
}

/** The index of the unfinished tile: how many full ones a level has. */
export function edgeIndex(size: number, level: number): number {
  return Math.floor(size / TILE_WIDTH ** (level + 1));
}

/** The levels that a tree of this size has tiles on. */
export function levelsOf(size: number): number {
  let levels = 0;
  for (let rest = size; rest > 0; rest = Math.floor(rest / TILE_WIDTH)) levels += 1;
  return levels;
}

export function hashIn(hashes: Uint8Array, at: number): Uint8Array {
  return hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES);
}

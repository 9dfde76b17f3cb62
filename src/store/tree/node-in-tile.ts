import { type NodeRef, nodeHash } from "../../domains/index.ts";
import { sha256 } from "../log/sha256.ts";
import { hashIn, TILE_HEIGHT, TILE_WIDTH } from "./tile-store.ts";

/** Where to find a node's hash: a tile, and the first of the tile's hashes below the node. */
export interface NodePlace {
  readonly level: number;
  readonly index: number;
  readonly at: number;
  readonly count: number;
}

export function placeOf({ level, index }: NodeRef): NodePlace {
  const count = 2 ** (level % TILE_HEIGHT);
  const first = index * count;
  return {
    level: Math.floor(level / TILE_HEIGHT),
    index: Math.floor(first / TILE_WIDTH),
    at: first % TILE_WIDTH,
    count,
  };
}

/** A node inside a tile. The levels between two tile levels are not stored but computed. */
export function nodeIn(hashes: Uint8Array, ref: NodeRef): Uint8Array {
  const { at, count } = placeOf(ref);
  return subtree(hashes, at, count);
}

/** The hash of a full tile on the level above. */
export function tileRoot(hashes: Uint8Array): Uint8Array {
  return subtree(hashes, 0, TILE_WIDTH);
}

function subtree(hashes: Uint8Array, at: number, count: number): Uint8Array {
  if (count === 1) return hashIn(hashes, at);
  const half = count / 2;
  return nodeHash(sha256, subtree(hashes, at, half), subtree(hashes, at + half, half));
}

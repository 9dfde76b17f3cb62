import { appendLeaves, type Frontier, frontierRefs, HASH_BYTES, rootOf, sameBytes } from "../../domains/index.ts";
import { sha256 } from "../log/sha256.ts";
import { nodeIn } from "./node-in-tile.ts";
import {
  edgeIndex,
  edgeWidth,
  levelsOf,
  TILE_HEIGHT,
  TILE_WIDTH,
  type Tile,
  type TileStore,
  type TreeHead,
} from "./tile-store.ts";

/** The right edge of the tree: everything needed to append. A few kilobytes, whatever the tree's size. */
export interface Edges {
  readonly frontier: Frontier;
  /** The incomplete tiles by level, each with space for a full one. */
  readonly open: ReadonlyMap<number, Uint8Array>;
}

export const NO_EDGES: Edges = { frontier: { size: 0, nodes: [] }, open: new Map() };

/** Null when a tile of the edge is missing or the root does not match: the tree must then be rebuilt. */
export async function readEdges(tiles: TileStore, head: TreeHead): Promise<Edges | null> {
  const { size } = head;
  const open = new Map<number, Uint8Array>();
  for (let level = 0; level < levelsOf(size); level += 1) {
    const width = edgeWidth(size, level);
    const hashes = width === 0 ? null : await tiles.read(level, edgeIndex(size, level), width);
    if (hashes !== null) open.set(level, roomy(hashes));
    else if (width > 0) return null;
  }
  const nodes = frontierRefs(size).map((ref) => nodeIn(open.get(Math.floor(ref.level / TILE_HEIGHT)) ?? NOTHING, ref));
  const frontier = { size, nodes };
  return sameBytes(rootOf(sha256, frontier), head.root) ? { frontier, open } : null;
}

/** The edge of the larger tree, and its new tiles: those that became full, and the incomplete ones. */
export function growEdges(
  edges: Edges,
  leaves: readonly Uint8Array[],
): { readonly edges: Edges; readonly tiles: readonly Tile[] } {
  const open = new Map([...edges.open].map(([level, hashes]) => [level, roomy(hashes)]));
  const full: Tile[] = [];
  const frontier = appendLeaves(sha256, edges.frontier, leaves, (level, index, hash) => {
    if (level % TILE_HEIGHT !== 0) return;
    const tileLevel = level / TILE_HEIGHT;
    const at = index % TILE_WIDTH;
    const hashes = open.get(tileLevel) ?? roomy(NOTHING);
    hashes.set(hash, at * HASH_BYTES);
    if (at < TILE_WIDTH - 1) open.set(tileLevel, hashes);
    else {
      open.delete(tileLevel);
      full.push({ level: tileLevel, index: (index - at) / TILE_WIDTH, hashes });
    }
  });
  const before = edges.frontier.size;
  const isNew = ({ level, index }: Tile): boolean =>
    index !== edgeIndex(before, level) || edgeWidth(frontier.size, level) !== edgeWidth(before, level);
  const grown = { frontier, open };
  return { edges: grown, tiles: [...full, ...openTiles(grown).filter(isNew)] };
}

/** The incomplete tiles, to be written. */
export function openTiles({ frontier: { size }, open }: Edges): readonly Tile[] {
  return [...open].map(([level, hashes]) => ({
    level,
    index: edgeIndex(size, level),
    hashes: hashes.slice(0, edgeWidth(size, level) * HASH_BYTES),
  }));
}

const NOTHING = new Uint8Array(0);

function roomy(hashes: Uint8Array): Uint8Array {
  const room = new Uint8Array(TILE_WIDTH * HASH_BYTES);
  room.set(hashes);
  return room;
}

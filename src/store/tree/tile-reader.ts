import { HASH_BYTES, type NodeAt, type NodeRef, sameBytes } from "../../domains/index.ts";
import { StoreError } from "../port.ts";
import type { Edges } from "./edges.ts";
import { nodeIn, placeOf, tileRoot } from "./node-in-tile.ts";
import { edgeIndex, edgeWidth, hashIn, TILE_WIDTH, type TileStore } from "./tile-store.ts";

/**
 * Verified tiles: the edge is known, and each full tile is checked against its hash in the tile above. A missing or
 * damaged tile throws `tile_missing`, so no proof is made from it.
 */
export interface TileReader {
  readonly tile: (level: number, index: number) => Promise<Uint8Array>;
  /** Reads the nodes from as many tiles as needed. */
  readonly nodes: (refs: readonly NodeRef[]) => Promise<NodeAt>;
  readonly forget: () => void;
}

const TILES_KEPT = 64;

export function createTileReader(tiles: TileStore, edgesNow: () => Edges): TileReader {
  const kept = new Map<string, Uint8Array>();

  const keep = (name: string, hashes: Uint8Array): Uint8Array => {
    kept.set(name, hashes);
    const oldest = kept.keys().next().value;
    if (kept.size > TILES_KEPT && oldest !== undefined) kept.delete(oldest);
    return hashes;
  };
  const edge = (level: number, index: number): Uint8Array | null => {
    const { frontier, open } = edgesNow();
    if (index !== edgeIndex(frontier.size, level)) return null;
    return open.get(level)?.subarray(0, edgeWidth(frontier.size, level) * HASH_BYTES) ?? null;
  };
  const tile = async (level: number, index: number): Promise<Uint8Array> => {
    const name = nameOf(level, index);
    const known = kept.get(name) ?? edge(level, index);
    if (known !== null) return known;
    if (index >= edgeIndex(edgesNow().frontier.size, level)) throw new StoreError("tile_not_found", { level, index });
    const above = await tile(level + 1, Math.floor(index / TILE_WIDTH));
    const hashes = await tiles.read(level, index, TILE_WIDTH);
    if (hashes === null) throw new StoreError("tile_missing", { level, index, problem: "missing" });
    if (!sameBytes(tileRoot(hashes), hashIn(above, index % TILE_WIDTH)))
      throw new StoreError("tile_missing", { level, index, problem: "altered" });
    return keep(name, hashes);
  };

  return {
    tile,
    nodes: async (refs) => {
      const found = new Map<string, Uint8Array>();
      for (const ref of refs) {
        const { level, index } = placeOf(ref);
        const name = nameOf(level, index);
        if (!found.has(name)) found.set(name, await tile(level, index));
      }
      return (level, index) => {
        const place = placeOf({ level, index });
        return nodeIn(found.get(nameOf(place.level, place.index)) ?? new Uint8Array(0), { level, index });
      };
    },
    forget: () => kept.clear(),
  };
}

function nameOf(level: number, index: number): string {
  return `${level}/${index}`;
}

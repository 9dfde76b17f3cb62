import { HASH_BYTES } from "../../domains/index.ts";
import type { LogTree } from "../tree/log-tree.ts";
import {
  edgeIndex,
  edgeWidth,
  levelsOf,
  TILE_WIDTH,
  type Tile,
  type TileStore,
  type TreeHead,
} from "../tree/tile-store.ts";

const TILES_A_TIME = 64;

/** Copies the tree as it was at a size: its full tiles, and the part of each last tile that existed then. */
export async function copyTree(tree: LogTree, { size, root }: TreeHead, to: TileStore): Promise<void> {
  let waiting: Tile[] = [];
  for (let level = 0; level < levelsOf(size); level += 1) {
    const edge = edgeIndex(size, level);
    for (let index = 0; index <= edge; index += 1) {
      const width = index === edge ? edgeWidth(size, level) : TILE_WIDTH;
      if (width === 0) continue;
      const hashes = await tree.tile(level, index);
      waiting.push({ level, index, hashes: hashes.subarray(0, width * HASH_BYTES) });
      if (waiting.length < TILES_A_TIME) continue;
      await to.write(waiting, null);
      waiting = [];
    }
  }
  await to.write(waiting, { size, root });
}

import { leafHash, rootOf } from "../../domains/index.ts";
import { sha256 } from "../log/sha256.ts";
import { StoreError } from "../port.ts";
import { type Edges, growEdges, NO_EDGES } from "./edges.ts";
import type { HashedLog } from "./log-tree.ts";
import { TILE_WIDTH, type Tile } from "./tile-store.ts";

const CHUNK_EVENTS = 4 * TILE_WIDTH;

/** Builds a tree over the log up to a size, in memory, in chunks. One chunk ends exactly at the requested place. */
export async function walkLog(
  log: HashedLog,
  size: number,
  stopAt: number,
  onChunk: (edges: Edges, made: readonly Tile[]) => Promise<void>,
): Promise<Edges> {
  let edges = NO_EDGES;
  while (edges.frontier.size < size) {
    const at = edges.frontier.size;
    const next = at < stopAt ? Math.min(stopAt, size) : size;
    const events = await log.hashesAfter(at, Math.min(CHUNK_EVENTS, next - at));
    if (events.length === 0) throw new StoreError("log_corrupt", { seq: at + 1, problem: "missing" });
    const leaves = events.map(({ hash }) => leafHash(sha256, hash));
    const grown = growEdges(edges, leaves);
    edges = grown.edges;
    await onChunk(edges, grown.tiles);
  }
  return edges;
}

/** The root computed from the log alone, without the tiles. */
export async function rootOfLog(log: HashedLog, size: number): Promise<Uint8Array> {
  return rootOf(sha256, (await walkLog(log, size, 0, async () => undefined)).frontier);
}

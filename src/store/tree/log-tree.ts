import {
  consistencyParts,
  frontierRefs,
  hashParts,
  inclusionParts,
  leafHash,
  type NodeRef,
  rootOf,
} from "../../domains/index.ts";
import { sha256 } from "../log/sha256.ts";
import type { Advanced, Store } from "../port.ts";
import { type Edges, growEdges, NO_EDGES, readEdges } from "./edges.ts";
import { createTileReader, type TileReader } from "./tile-reader.ts";
import type { TileStore, TreeHead } from "./tile-store.ts";

/** The input of the tree: the hashes of all events, in global order. */
export type HashedLog = Pick<Store, "hashesAfter" | "lastSeq">;

/** The Merkle tree over the log. It follows the writes without delaying them, and can be rebuilt at any time. */
export interface LogTree {
  readonly head: () => TreeHead;
  /** Adds all events that the log has now. */
  readonly advance: () => Promise<void>;
  /** Adds one page of the log. */
  readonly takePage: () => Promise<Advanced>;
  /** The root of the tree at an earlier size. */
  readonly rootAt: (size: number) => Promise<Uint8Array>;
  readonly inclusion: (index: number, size: number) => Promise<readonly Uint8Array[]>;
  readonly consistency: (first: number, second: number) => Promise<readonly Uint8Array[]>;
  /** A tile of the current tree. A damaged one throws `tile_missing`. */
  readonly tile: TileReader["tile"];
  /** Deletes the tree; the next page begins with the first event. */
  readonly clear: () => Promise<void>;
  /** Deletes the tree and rebuilds it from the first event. */
  readonly renew: () => Promise<void>;
}

/** Small enough that hashing blocks nobody, large enough that flushing tiles does not dominate. */
const CHUNK_EVENTS = 1024;

/** Opens the stored tree. Null when there is none or its right edge is damaged. */
export async function openLogTree(log: HashedLog, tiles: TileStore): Promise<LogTree | null> {
  const head = await tiles.head();
  const edges = head === null ? null : await readEdges(tiles, head);
  return edges === null ? null : createLogTree(log, tiles, edges);
}

/** An empty tree in an empty tile store. */
export function newLogTree(log: HashedLog, tiles: TileStore): LogTree {
  return createLogTree(log, tiles, NO_EDGES);
}

function createLogTree(log: HashedLog, tiles: TileStore, opened: Edges): LogTree {
  let edges = opened;
  let last: Promise<unknown> = Promise.resolve();
  const reader = createTileReader(tiles, () => edges);

  /** Runs work one after another, because each page extends the edges that the previous one left. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
  const takePage = (): Promise<Advanced> =>
    inTurn(async () => {
      const events = await log.hashesAfter(edges.frontier.size, CHUNK_EVENTS);
      if (events.length > 0) {
        const leaves = events.map(({ hash }) => leafHash(sha256, hash));
        const grown = growEdges(edges, leaves);
        await tiles.write(grown.tiles, headOf(grown.edges));
        edges = grown.edges;
      }
      return { position: edges.frontier.size, isAtEnd: events.length < CHUNK_EVENTS };
    });
  const advance = async (): Promise<void> => {
    while (!(await takePage()).isAtEnd);
  };
  const clear = (): Promise<void> =>
    inTurn(async () => {
      await tiles.clear();
      edges = NO_EDGES;
      reader.forget();
    });
  const joined = async (parts: readonly (readonly NodeRef[])[]): Promise<readonly Uint8Array[]> =>
    hashParts(sha256, parts, await reader.nodes(parts.flat()));

  return {
    head: () => headOf(edges),
    advance,
    takePage,
    rootAt: async (size) => (size === 0 ? [] : await joined([frontierRefs(size)]))[0] ?? sha256(),
    inclusion: (index, size) => joined(inclusionParts(index, size)),
    consistency: (first, second) => joined(consistencyParts(first, second)),
    tile: reader.tile,
    clear,
    renew: async () => {
      await clear();
      await advance();
    },
  };
}

function headOf({ frontier }: Edges): TreeHead {
  return { size: frontier.size, root: rootOf(sha256, frontier) };
}

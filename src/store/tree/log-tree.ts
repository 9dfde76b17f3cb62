import {
  consistencyParts,
  frontierRefs,
  hashParts,
  inclusionParts,
  leafHash,
  type NodeRef,
  rootOf,
} from "../../domains/index.ts";
import type { Advanced, Store } from "../port.ts";
import { type Edges, growEdges, NO_EDGES, readEdges } from "./edges.ts";
import { sha256 } from "./sha256.ts";
import { createTileReader, type TileReader } from "./tile-reader.ts";
import type { TileStore, TreeHead } from "./tile-store.ts";

/** What the tree is made of: the hashes of all events, in global order. */
export type HashedLog = Pick<Store, "hashesAfter" | "lastSeq">;

/** The Merkle tree over the log. It follows behind the writes and never holds one up; it can be made anew at any time. */
export interface LogTree {
  readonly head: () => TreeHead;
  /** Takes in what the log has by now. */
  readonly advance: () => Promise<void>;
  /** Takes in one page of the log. */
  readonly takePage: () => Promise<Advanced>;
  /** The root of the tree as it was at an earlier size. */
  readonly rootAt: (size: number) => Promise<Uint8Array>;
  readonly inclusion: (index: number, size: number) => Promise<readonly Uint8Array[]>;
  readonly consistency: (first: number, second: number) => Promise<readonly Uint8Array[]>;
  /** Of the tree as it is; a tile that is not as it was made is named, never shown. */
  readonly tile: TileReader["tile"];
  /** Throws all of it away; the next page begins with the first event. */
  readonly clear: () => Promise<void>;
  /** Throws all of it away and reads the log from its first event. */
  readonly renew: () => Promise<void>;
}

/** Small enough that nobody waits for the hashing, large enough that flushing tiles does not outweigh filling them. */
const CHUNK_EVENTS = 1024;

/** The tree as it lies there; null when it cannot be gone on with: there is none, or its right edge is not as it was written. */
export async function openLogTree(log: HashedLog, tiles: TileStore): Promise<LogTree | null> {
  const head = await tiles.head();
  const edges = head === null ? null : await readEdges(tiles, head);
  return edges === null ? null : createLogTree(log, tiles, edges);
}

/** A tree of nothing yet, where no tile lies. */
export function newLogTree(log: HashedLog, tiles: TileStore): LogTree {
  return createLogTree(log, tiles, NO_EDGES);
}

function createLogTree(log: HashedLog, tiles: TileStore, opened: Edges): LogTree {
  let edges = opened;
  let last: Promise<unknown> = Promise.resolve();
  const reader = createTileReader(tiles, () => edges);

  /** One after another: each page grows the edges that the one before left. */
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

import { HASH_BYTES, hex, rootOf, sameBytes } from "../../domains/index.ts";
import { sha256 } from "../log/sha256.ts";
import { openTiles } from "./edges.ts";
import type { HashedLog, LogTree } from "./log-tree.ts";
import { hashIn, TILE_WIDTH, type Tile, type TileStore, type TreeHead } from "./tile-store.ts";
import { walkLog } from "./walk-log.ts";

export interface TreeReport {
  readonly ok: boolean;
  readonly size: number;
  /** Computed from the log alone. */
  readonly root: Uint8Array;
  readonly problems: readonly TreeProblem[];
}

export type TreeProblem =
  /** A tile is missing or differs from the log. The log is what was signed, so the tile is wrong. */
  | { readonly problem: "tile_missing" | "tile_altered"; readonly level: number; readonly index: number }
  /** An event differs from the one in the tree. */
  | { readonly problem: "event_altered"; readonly seq: number }
  /** The log's root differs from the root of the tree or of a checkpoint. */
  | { readonly problem: "root_mismatch"; readonly size: number; readonly expected: string; readonly found: string };

const PROBLEMS_MAX = 100;

/**
 * Reads the whole log, rebuilds the tree in memory, and compares every tile, the root, and the root at the checkpoint's
 * size. `repair` rewrites wrong tiles, but only if the log matches the signed root: otherwise the tiles are evidence.
 */
export async function checkTree(given: {
  readonly log: HashedLog;
  readonly tiles: TileStore;
  readonly tree: LogTree;
  readonly signed: TreeHead | null;
  readonly repair: boolean;
}): Promise<TreeReport> {
  const { log, tiles, tree, signed, repair } = given;
  const head = tree.head();
  const wrong: WrongTile[] = [];
  const mend = (found: readonly WrongTile[]): Promise<void> =>
    found.length < PROBLEMS_MAX
      ? tiles.write(
          found.map(({ right }) => right),
          null,
        )
      : tree.renew();
  let signedRoot: Uint8Array | null = null;
  const edges = await walkLog(log, head.size, signed?.size ?? 0, async (grown, made) => {
    if (signed !== null && grown.frontier.size === signed.size) signedRoot = rootOf(sha256, grown.frontier);
    for (const tile of made)
      if (wrong.length < PROBLEMS_MAX && isFull(tile)) wrong.push(...(await compare(tiles, tile)));
  });
  for (const tile of openTiles(edges)) wrong.push(...(await compare(tiles, tile)));

  const root = rootOf(sha256, edges.frontier);
  const differing: readonly TreeProblem[] = [
    ...mismatch(head.size, head.root, root),
    ...(signed === null || signed.size > head.size ? [] : mismatch(signed.size, signed.root, signedRoot ?? sha256())),
  ];
  const isProved = differing.length === 0;
  if (isProved && repair) await mend(wrong);
  const problems = isProved ? wrong.map(tileProblem) : [...wrong.flatMap(eventProblems), ...differing];
  return { ok: problems.length === 0, size: head.size, root, problems: problems.slice(0, PROBLEMS_MAX) };
}

interface WrongTile {
  readonly right: Tile;
  readonly stored: Uint8Array | null;
}

async function compare(tiles: TileStore, right: Tile): Promise<readonly WrongTile[]> {
  const stored = await tiles.read(right.level, right.index, right.hashes.length / HASH_BYTES);
  return stored !== null && sameBytes(stored, right.hashes) ? [] : [{ right, stored }];
}

function isFull({ hashes }: Tile): boolean {
  return hashes.length === TILE_WIDTH * HASH_BYTES;
}

function tileProblem({ right: { level, index }, stored }: WrongTile): TreeProblem {
  return { problem: stored === null ? "tile_missing" : "tile_altered", level, index };
}

/** The events that differ from the tree. Only leaves identify events; upper levels follow from them. */
function eventProblems({ right: { level, index, hashes }, stored }: WrongTile): readonly TreeProblem[] {
  if (level > 0 || stored === null) return [];
  const count = hashes.length / HASH_BYTES;
  return Array.from({ length: count }, (_, at) => at)
    .filter((at) => !sameBytes(hashIn(hashes, at), hashIn(stored, at)))
    .map((at) => ({ problem: "event_altered", seq: index * TILE_WIDTH + at + 1 }));
}

function mismatch(size: number, expected: Uint8Array, found: Uint8Array): readonly TreeProblem[] {
  return sameBytes(expected, found)
    ? []
    : [{ problem: "root_mismatch", size, expected: hex(expected), found: hex(found) }];
}

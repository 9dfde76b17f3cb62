import { leafHash, sameBytes } from "../../domains/index.ts";
import { sha256 } from "../log/sha256.ts";
import { StoreError } from "../port.ts";
import { type HashedLog, type LogTree, newLogTree, openLogTree } from "./log-tree.ts";
import { hashIn, TILE_WIDTH, type TileStore, type TreeHead } from "./tile-store.ts";
import { rootOfLog } from "./walk-log.ts";

export interface OpenedTree {
  readonly tree: LogTree;
  /** The stored tree was unusable and is rebuilt from the log. */
  readonly renewed: boolean;
}

/** A log that was rolled back and then grew differs from that point to its end, so checking the end is enough. */
const TAIL_LEAVES = 4096;

/**
 * Opens the tree and proves that the log is still the one it was built from: not shorter than the tree or the
 * checkpoint, with the same end and the signed root. Otherwise throws `log_rolled_back` before anything is written. The
 * tree holds only durable events, so a difference means that events were lost or replaced.
 */
export async function openCheckedTree(log: HashedLog, tiles: TileStore, signed: TreeHead | null): Promise<OpenedTree> {
  const logSize = await log.lastSeq();
  if (signed !== null && signed.size > logSize) throw rolledBack({ logSize, checkpointSize: signed.size });
  const opened = await openLogTree(log, tiles);
  if (opened !== null && (await isOfLog(opened, log, logSize, signed))) return { tree: opened, renewed: false };
  // Before the rest of the tree is deleted: if the log is not the signed one, the tree is evidence.
  if (signed !== null) compareRoots(await rootOfLog(log, signed.size), signed);
  await tiles.clear();
  const tree = newLogTree(log, tiles);
  // Without a checkpoint there is nothing to compare, so the tree is rebuilt in the background.
  if (signed !== null) await tree.advance();
  return { tree, renewed: logSize > 0 };
}

/** False when a tile needed for the comparison is missing or damaged. */
async function isOfLog(tree: LogTree, log: HashedLog, logSize: number, signed: TreeHead | null): Promise<boolean> {
  try {
    await compareTail(log, tree, logSize);
    if (signed === null) return true;
    if (tree.head().size < signed.size) await tree.advance();
    compareRoots(await tree.rootAt(signed.size), signed);
    return true;
  } catch (cause) {
    if (cause instanceof StoreError && cause.code === "tile_missing") return false;
    throw cause;
  }
}

async function compareTail(log: HashedLog, tree: LogTree, logSize: number): Promise<void> {
  const { size } = tree.head();
  if (size > logSize) throw rolledBack({ logSize, treeSize: size });
  for (let at = Math.max(0, size - TAIL_LEAVES); at < size; ) {
    const index = Math.floor(at / TILE_WIDTH);
    const end = Math.min(size, (index + 1) * TILE_WIDTH);
    const hashes = await tree.tile(0, index);
    for (const { seq, hash } of await log.hashesAfter(at, end - at))
      if (!sameBytes(leafHash(sha256, hash), hashIn(hashes, (seq - 1) % TILE_WIDTH)))
        throw rolledBack({ seq, problem: "the event differs from the one in the tree" });
    at = end;
  }
}

function compareRoots(found: Uint8Array, signed: TreeHead): void {
  if (!sameBytes(found, signed.root))
    throw rolledBack({ checkpointSize: signed.size, problem: "the log's root differs from the signed root" });
}

function rolledBack(details: StoreError["details"]): StoreError {
  return new StoreError("log_rolled_back", details);
}

import { leafHash } from "../../domains/index.ts";
import { sameBytes } from "../../kernel/index.ts";
import { StoreError } from "../port.ts";
import { type HashedLog, type LogTree, newLogTree, openLogTree } from "./log-tree.ts";
import { sha256 } from "./sha256.ts";
import { hashIn, TILE_WIDTH, type TileStore, type TreeHead } from "./tile-store.ts";
import { rootOfLog } from "./walk-log.ts";

export interface OpenedTree {
  readonly tree: LogTree;
  /** It could not be gone on with, and is made anew out of the log. */
  readonly renewed: boolean;
}

/** A log that went back and then grew differs from there to its end, so that a look at the end is enough to see it. */
const TAIL_LEAVES = 4096;

/**
 * The tree, and the certainty that the log is still the one it was made of: not shorter than the tree or the checkpoint
 * that was kept outside of it, with the same end, and with the root that was signed. Otherwise `log_rolled_back`, before
 * anything is written: the tree is only ever made of events that were durable, so events are lost or were exchanged.
 */
export async function openCheckedTree(log: HashedLog, tiles: TileStore, signed: TreeHead | null): Promise<OpenedTree> {
  const logSize = await log.lastSeq();
  if (signed !== null && signed.size > logSize) throw rolledBack({ logSize, checkpointSize: signed.size });
  const opened = await openLogTree(log, tiles);
  if (opened !== null && (await isOfLog(opened, log, logSize, signed))) return { tree: opened, renewed: false };
  // Before what is left of the tree is thrown away: if the log is not the one that was signed, it is evidence.
  if (signed !== null) compareRoots(await rootOfLog(log, signed.size), signed);
  await tiles.clear();
  const tree = newLogTree(log, tiles);
  // With nothing to compare it with, nobody has to wait for it: it takes the log in behind the writes, as ever.
  if (signed !== null) await tree.advance();
  return { tree, renewed: logSize > 0 };
}

/** False when a tile that would tell is missing or was changed. */
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

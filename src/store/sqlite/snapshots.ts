import type { DatabaseSync } from "node:sqlite";
import { crc32, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { bytes, number } from "../encoding.ts";
import type { Snapshot } from "../folding.ts";
import type { Statement } from "./statements.ts";

/** Keeps the fold of a stream as of a version, so that nobody has to fold it from the start again. */
export function createSnapshotWriter(db: DatabaseSync): (streamNo: number, version: number, state: string) => void {
  const put = db.prepare("INSERT OR REPLACE INTO snapshots(stream, version, state, sum) VALUES (?, ?, ?, ?)");
  return (streamNo, version, state) => {
    const kept = packed(state);
    put.run(streamNo, version, kept, crc32(kept));
  };
}

/** The newest one at or before a version. One whose bytes have changed is passed over: the log says the same, only slower. */
export function nearestSnapshot(
  sql: (source: string) => Statement,
  streamNo: number,
  atOrBefore: number,
): Snapshot | null {
  const newestFirst = sql(
    "SELECT version, state, sum FROM snapshots WHERE stream = ? AND version <= ? ORDER BY version DESC",
  );
  for (const row of newestFirst.each(streamNo, atOrBefore)) {
    const state = bytes(row["state"]);
    if (crc32(state) === row["sum"]) return { version: number(row["version"]), state: unpacked(state) };
  }
  return null;
}

/** The text of a kept fold whose sum was right. */
export function unpacked(kept: Uint8Array): string {
  const isCompressed = ZSTD_MAGIC.equals(kept.subarray(0, ZSTD_MAGIC.length));
  const state = isCompressed ? zstdDecompressSync(kept, { maxOutputLength: STATE_BYTES_MAX }) : Buffer.from(kept);
  return state.toString("utf8");
}

/** A fold is the same few names again and again: what does not fit beside its neighbours is kept compressed. */
function packed(state: string): Buffer {
  const kept = Buffer.from(state);
  return kept.length < COMPRESSED_FROM_BYTES ? kept : zstdCompressSync(kept);
}

const COMPRESSED_FROM_BYTES = 1024;
const STATE_BYTES_MAX = 128 * 1024 * 1024;
/** How compressed bytes begin; JSON never does. */
const ZSTD_MAGIC = Buffer.from("28b52ffd", "hex");

import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { bytes, number } from "../../log/encoding.ts";
import type { Snapshot } from "../../models/fold-events.ts";
import type { Statement } from "../tables/statements.ts";

/** Stores the fold of a stream at a version, so that later folds need not start at the first event. */
export function createSnapshotWriter(db: DatabaseSync): (streamNo: number, version: number, state: string) => void {
  const put = db.prepare("INSERT OR REPLACE INTO snapshots(stream, version, state, sum) VALUES (?, ?, ?, ?)");
  return (streamNo, version, state) => {
    const kept = Buffer.from(state);
    put.run(streamNo, version, kept, crc32(kept));
  };
}

/**
 * The newest fold snapshot at or before a version. A damaged one is skipped: folding from the log gives the same
 * result, only slower.
 */
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
    if (crc32(state) === row["sum"]) return { version: number(row["version"]), state: Buffer.from(state).toString() };
  }
  return null;
}

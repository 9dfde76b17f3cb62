import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { bytes, number } from "../../log/encoding.ts";
import type { Snapshot } from "../../models/fold-events.ts";
import type { Statement } from "../tables/statements.ts";

/** Keeps the fold of a stream as of a version, so that nobody has to fold it from the start again. */
export function createSnapshotWriter(db: DatabaseSync): (streamNo: number, version: number, state: string) => void {
  const put = db.prepare("INSERT OR REPLACE INTO snapshots(stream, version, state, sum) VALUES (?, ?, ?, ?)");
  return (streamNo, version, state) => {
    const kept = Buffer.from(state);
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
    if (crc32(state) === row["sum"]) return { version: number(row["version"]), state: Buffer.from(state).toString() };
  }
  return null;
}

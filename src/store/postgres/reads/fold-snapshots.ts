import { crc32 } from "node:zlib";
import { bytes, number } from "../../log/encoding.ts";
import type { Snapshot } from "../../models/fold-events.ts";
import type { Sql } from "./event-pages.ts";

/**
 * The newest fold snapshot at or before a version. A damaged one is skipped: folding from the log gives the same
 * result, only slower.
 */
export async function nearestSnapshot(sql: Sql, stream: string, atOrBefore: number): Promise<Snapshot | null> {
  for (let before = atOrBefore + 1; ; ) {
    const [row] = await sql(
      `SELECT k.version, k.state, k.sum FROM snapshots k JOIN streams s ON s.no = k.stream
       WHERE s.name = $1 AND k.version < $2 ORDER BY k.version DESC LIMIT 1`,
      Buffer.from(stream),
      before,
    );
    if (row === undefined) return null;
    const state = bytes(row["state"]);
    const version = number(row["version"]);
    if (crc32(state) === row["sum"]) return { version, state: Buffer.from(state).toString("utf8") };
    before = version;
  }
}

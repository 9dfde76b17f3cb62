import { namedBlobs } from "../bundle/named-blobs.ts";
import type { RawEvent } from "../bundle/write-bundle.ts";
import { StoreError } from "../port.ts";
import { bytes } from "./encoding.ts";
import type { Statement } from "./statements.ts";

/** A page ends when its data has come to this much. */
const PAGE_BYTES_MAX = 8 * 1024 * 1024;

/** Events as their bytes lie there. Nothing is judged: whoever verifies a bundle wants to see what was stored. */
export function rawAfter(sql: (source: string) => Statement, seq: number, limit: number): readonly RawEvent[] {
  const found: RawEvent[] = [];
  let size = 0;
  const rows = sql("SELECT seq, prev, header, hash, salt, data FROM events WHERE seq > ? ORDER BY seq LIMIT ?");
  for (const row of rows.each(seq, limit)) {
    const expected = seq + found.length + 1;
    if (row["seq"] !== expected) throw new StoreError("log_corrupt", { seq: expected, problem: "missing" });
    const header = bytes(row["header"]);
    const data = row["data"] === null ? null : bytes(row["data"]);
    found.push({
      seq: expected,
      prev: bytes(row["prev"]),
      header,
      hash: bytes(row["hash"]),
      salt: row["salt"] === null ? null : bytes(row["salt"]),
      data,
      blobs: data === null ? [] : namedBlobs(header, data),
    });
    size += data?.length ?? 0;
    if (size >= PAGE_BYTES_MAX) break;
  }
  return found;
}

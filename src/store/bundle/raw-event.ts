import { bytes, number } from "../log/encoding.ts";
import type { RawEvent } from "../port.ts";
import { namedBlobs } from "./named-blobs.ts";

export const RAW_COLUMNS = "seq, prev, header, hash, salt, data";

/** An event with its stored bytes, unchecked: whoever verifies a bundle needs to see exactly what was stored. */
export function rawOf(row: Readonly<Record<string, unknown>>): RawEvent {
  const header = bytes(row["header"]);
  const data = row["data"] === null ? null : bytes(row["data"]);
  return {
    seq: number(row["seq"]),
    prev: bytes(row["prev"]),
    header,
    hash: bytes(row["hash"]),
    salt: row["salt"] === null ? null : bytes(row["salt"]),
    data,
    blobs: data === null ? [] : namedBlobs(header, data),
  };
}

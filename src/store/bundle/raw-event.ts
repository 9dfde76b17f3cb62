import { bytes, number } from "../log/encoding.ts";
import { type RawEvent, StoreError } from "../port.ts";
import { namedBlobs } from "./named-blobs.ts";

export const RAW_COLUMNS = "seq, prev, header, hash, salt, data";
/** A page ends when its data reaches this size. */
export const RAW_PAGE_BYTES_MAX = 8 * 1024 * 1024;

/** An event with its stored bytes, unchecked: whoever verifies a bundle needs to see exactly what was stored. */
export function rawEvent(row: Readonly<Record<string, unknown>>, expected: number): RawEvent {
  if (row["seq"] !== expected) throw new StoreError("log_corrupt", { seq: expected, problem: "missing" });
  return rawOf(row);
}

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

import { SnapshotError } from "../snapshot-error.ts";
import type { ByteName } from "../walk/byte-path.ts";

/**
 * A snapshot: the tree and what was found in it. It holds no time or reason, so that the same tree always has the same
 * id, which is its sha256.
 */
export interface SnapshotRecord {
  readonly format: 1;
  /** The listing of the top directory. */
  readonly listing: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly files: number;
  readonly directories: number;
  readonly bytes: number;
  /** Groups of hard links: the names of each file that has more than one in the tree. */
  readonly sameFiles: readonly (readonly ByteName[])[];
  /** What is in the tree but not in the snapshot, and why; the first few. */
  readonly leftOut: readonly LeftOut[];
  readonly leftOutCount: number;
  /** Fifos, sockets and devices; only their kind is stored. */
  readonly special: readonly ByteName[];
  /** Files that changed during every read; stored as last read. */
  readonly unsettled: readonly ByteName[];
}

export interface LeftOut {
  readonly path: ByteName;
  readonly why: LeftOutWhy;
}

export type LeftOutWhy = "rule" | "mount" | "unreadable" | "too deep";

export function encodeRecord(record: SnapshotRecord): Buffer {
  return Buffer.from(JSON.stringify(record), "utf8");
}

/** The bytes match their hash, so they are a record that `encodeRecord` wrote, unless the id names another object. */
export function decodeRecord(bytes: Buffer, id: string): SnapshotRecord {
  const text = bytes.toString("utf8");
  if (!text.startsWith(`{"format":1,`))
    throw new SnapshotError("snapshot_damaged", { object: id, reason: "no record" });
  return JSON.parse(text) as SnapshotRecord;
}

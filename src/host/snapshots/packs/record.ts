import { SnapshotError } from "../snapshot-error.ts";
import type { ByteName } from "../walk/byte-path.ts";

/**
 * What a snapshot is: the tree, and what was found out about it. It says nothing of when and why, so that the same tree
 * always has the same id: its sha256.
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
  /** Names of one file, for every file that has more than one name in the tree. */
  readonly sameFiles: readonly (readonly ByteName[])[];
  /** What is in the tree but not in the snapshot, and why; the first so many. */
  readonly leftOut: readonly LeftOut[];
  readonly leftOutCount: number;
  /** Fifos, sockets and devices: known by kind only. */
  readonly special: readonly ByteName[];
  /** Changed while they were read, every time: kept as they were last seen. */
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

/** Its bytes were checked against their name: they are what `encodeRecord` wrote, unless the name is of something else. */
export function decodeRecord(bytes: Buffer, id: string): SnapshotRecord {
  const text = bytes.toString("utf8");
  if (!text.startsWith(`{"format":1,`))
    throw new SnapshotError("snapshot_damaged", { object: id, reason: "no record" });
  return JSON.parse(text) as SnapshotRecord;
}

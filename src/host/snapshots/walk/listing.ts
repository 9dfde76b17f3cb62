import { SnapshotError } from "../snapshot-error.ts";
import type { ByteName } from "./byte-path.ts";

/** One name in a directory, as stored. */
export interface Entry {
  readonly kind: Kind;
  readonly name: ByteName;
  /** All twelve bits: permissions, set-uid, set-gid, sticky. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  /**
   * For a file: its contents (`file`) or its list of chunks (`chunked`). For a directory: its listing. Otherwise empty.
   */
  readonly object: string;
  /** The target of a symbolic link. For a left-out entry: the reason, unless it was a rule. */
  readonly target: ByteName;
}

/**
 * Of `fifo`, `socket` and `device` only the kind is stored. `left-out` exists but is not in the snapshot: a rule leaves
 * it out, another file system is mounted there, or it cannot be read. A restore never touches it.
 */
export type Kind = (typeof KINDS)[number];
const KINDS = ["file", "chunked", "directory", "link", "fifo", "socket", "device", "left-out"] as const;

const FIXED_BYTES = 1 + 2 + 4 + 4 + 6 + 32 + 2 + 2;

/** Entries sorted by the bytes of their names, so that the same directory always has the same bytes. */
export function encodeListing(entries: readonly Entry[]): Buffer {
  const size = entries.reduce((sum, { name, target }) => sum + FIXED_BYTES + name.length + target.length, 0);
  const bytes = Buffer.alloc(size);
  let at = 0;
  for (const entry of entries) {
    at = bytes.writeUInt8(KINDS.indexOf(entry.kind), at);
    at = bytes.writeUInt16BE(entry.mode, at);
    at = bytes.writeUInt32BE(entry.uid, at);
    at = bytes.writeUInt32BE(entry.gid, at);
    at = bytes.writeUIntBE(entry.size, at, 6);
    bytes.write(entry.object, at, "hex");
    at += 32;
    at = bytes.writeUInt16BE(entry.name.length, at);
    at += bytes.write(entry.name, at, "latin1");
    at = bytes.writeUInt16BE(entry.target.length, at);
    at += bytes.write(entry.target, at, "latin1");
  }
  return bytes;
}

export function decodeListing(bytes: Buffer, object: string): readonly Entry[] {
  const entries: Entry[] = [];
  let at = 0;
  while (at < bytes.length) {
    const kind = KINDS[bytes.readUInt8(at)];
    if (kind === undefined) throw new SnapshotError("snapshot_damaged", { object, at });
    const hasObject = kind === "file" || kind === "chunked" || kind === "directory";
    const nameAt = at + 51;
    const nameEnd = nameAt + bytes.readUInt16BE(at + 49);
    const targetEnd = nameEnd + 2 + bytes.readUInt16BE(nameEnd);
    entries.push({
      kind,
      mode: bytes.readUInt16BE(at + 1),
      uid: bytes.readUInt32BE(at + 3),
      gid: bytes.readUInt32BE(at + 7),
      size: bytes.readUIntBE(at + 11, 6),
      object: hasObject ? bytes.toString("hex", at + 17, at + 49) : "",
      name: bytes.toString("latin1", nameAt, nameEnd),
      target: bytes.toString("latin1", nameEnd + 2, targetEnd),
    });
    at = targetEnd;
  }
  return entries;
}

/** The hashes of a large file's chunks, concatenated. */
export function encodeChunks(names: readonly string[]): Buffer {
  return Buffer.from(names.join(""), "hex");
}

export function decodeChunks(bytes: Buffer): readonly string[] {
  return Array.from({ length: bytes.length / 32 }, (_, n) => bytes.toString("hex", n * 32, n * 32 + 32));
}

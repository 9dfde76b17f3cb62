import { SnapshotError } from "../snapshot-error.ts";
import type { ByteName } from "./byte-path.ts";

/** One name of a directory, as it is kept. */
export interface Entry {
  readonly kind: Kind;
  readonly name: ByteName;
  /** All twelve bits: permissions, set-uid, set-gid, sticky. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  /** Of a file: its bytes (`file`) or the list of its chunks (`chunked`). Of a directory: its listing. Else empty. */
  readonly object: string;
  /** Where a symbolic link points. Of what is left out: why, unless a rule says so. */
  readonly target: ByteName;
}

/**
 * `fifo`, `socket` and `device` are known by their kind only. `left-out` is there but is not ours: a rule leaves it out,
 * another file system is mounted there, or it may not be read. No restore touches it.
 */
export type Kind = (typeof KINDS)[number];
const KINDS = ["file", "chunked", "directory", "link", "fifo", "socket", "device", "left-out"] as const;

const FIXED_BYTES = 1 + 2 + 4 + 4 + 6 + 32 + 2 + 2;

/** A directory's entries in the order of their names' bytes: the same directory always has the same bytes. */
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

/** The names of a large file's chunks, one after another. */
export function encodeChunks(names: readonly string[]): Buffer {
  return Buffer.from(names.join(""), "hex");
}

export function decodeChunks(bytes: Buffer): readonly string[] {
  return Array.from({ length: bytes.length / 32 }, (_, n) => bytes.toString("hex", n * 32, n * 32 + 32));
}

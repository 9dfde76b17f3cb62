import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { zstdDecompressSync } from "node:zlib";
import { SnapshotError } from "../snapshot-error.ts";
import {
  decodeFooter,
  entryAt,
  entryCount,
  FOOTER_BYTES,
  findIn,
  type IndexEntry,
  indexBytes,
  isIndexWhole,
  type Place,
} from "./pack-format.ts";

export interface PackReader {
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
  readonly find: (name: string) => Place | null;
  readonly read: (place: Place) => Buffer;
  readonly entries: () => Generator<IndexEntry>;
  readonly close: () => void;
}

export function openPack(path: string): PackReader {
  // Does not block if a pipe is in its place.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(fd);
    const { size, mtimeMs } = stats;
    if (!stats.isFile()) throw damaged(path, "it is no file");
    const footer = readAt(fd, path, Math.max(0, size - FOOTER_BYTES), FOOTER_BYTES);
    const found = decodeFooter(footer);
    if (found === null) throw damaged(path, "it has no footer");
    if (found.indexAt + indexBytes(found.count) > size) throw damaged(path, "its index is longer than it");
    const index = readAt(fd, path, found.indexAt, indexBytes(found.count));
    if (!isIndexWhole(index, footer)) throw damaged(path, "its index is not what was written");
    let last: { readonly at: number; readonly bytes: Buffer } | null = null;
    return {
      path,
      bytes: size,
      modifiedMs: mtimeMs,
      find: (name) => findIn(index, name),
      read: ({ blockAt, blockBytes, isPacked, at, bytes }) => {
        // Keeps the last block: objects of one folder share a block and are read one after another.
        if (last?.at !== blockAt) {
          const stored = readAt(fd, path, blockAt, blockBytes);
          last = { at: blockAt, bytes: isPacked ? unpack(stored, path) : stored };
        }
        return last.bytes.subarray(at, at + bytes);
      },
      entries: function* () {
        for (let n = 0; n < entryCount(index); n += 1) yield entryAt(index, n);
      },
      close: () => closeSync(fd),
    };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** No block is larger; the largest thing in one is a folder's listing. */
const UNPACKED_BYTES_MAX = 268_435_456;

function unpack(bytes: Buffer, path: string): Buffer {
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: UNPACKED_BYTES_MAX });
  } catch (error) {
    throw damaged(path, "a block cannot be unpacked", error);
  }
}

function readAt(fd: number, path: string, from: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let at = 0; at < length; ) {
    const read = readSync(fd, bytes, at, length - at, from + at);
    if (read === 0) throw damaged(path, "it is shorter than it was");
    at += read;
  }
  return bytes;
}

function damaged(path: string, reason: string, cause?: unknown): SnapshotError {
  return new SnapshotError("snapshot_damaged", { path, reason }, cause);
}

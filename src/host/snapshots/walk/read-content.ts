import { hash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { errno } from "../../errno.ts";
import type { Batch } from "../packs/objects.ts";
import { type ByteName, pathOf } from "./byte-path.ts";
import { encodeChunks } from "./listing.ts";

export interface Content {
  readonly kind: "file" | "chunked";
  readonly object: string;
  readonly size: number;
  readonly stat: Stats;
  /** Whether the file was the same before and after it was read. */
  readonly isSettled: boolean;
}

/** Larger files are stored in pieces: memory stays bounded, and a change in place costs one piece. */
export const CHUNK_BYTES = 1_048_576;

/** Does not block on a fifo and does not follow a link that replaced the file. */
export const OPEN_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Adds a file's contents to the batch. Null when the file is gone. Yields during a long file. */
export function* readContent(
  path: ByteName,
  expectedIno: number,
  batch: Batch,
  buffer: Buffer,
): Generator<void, Content | "unreadable" | null> {
  let fd: number;
  try {
    fd = openSync(pathOf(path), OPEN_FILE);
  } catch (error) {
    const code = errno(error) ?? "";
    if (GONE.includes(code)) return null;
    if (UNREADABLE.includes(code)) return "unreadable";
    throw error;
  }
  try {
    const before = fstatSync(fd);
    if (!before.isFile() || before.ino !== expectedIno) return null;
    const chunks: string[] = [];
    let size = 0;
    while (true) {
      const bytes = fill(fd, buffer);
      if (bytes === 0 && chunks.length > 0) break;
      const piece = buffer.subarray(0, bytes);
      chunks.push(nameOf(piece, batch));
      size += bytes;
      if (bytes < CHUNK_BYTES) break;
      if (size > before.size + GROWTH_MAX) break;
      yield;
    }
    const after = fstatSync(fd);
    const isSettled = after.ctimeMs === before.ctimeMs && after.mtimeMs === before.mtimeMs && after.size === size;
    const [only = "", ...more] = chunks;
    if (more.length === 0) return { kind: "file", object: only, size, stat: before, isSettled };
    return { kind: "chunked", object: batch.put(encodeChunks(chunks)), size, stat: before, isSettled };
  } catch (error) {
    if (errno(error) === "EIO" || errno(error) === "EISDIR") return "unreadable";
    throw error;
  } finally {
    closeSync(fd);
  }
}

export const GONE: readonly string[] = ["ENOENT", "ENOTDIR", "ELOOP", "ENXIO", "ESTALE"];
export const UNREADABLE: readonly string[] = ["EACCES", "EPERM", "EIO", "ENODEV", "ETXTBSY"];

/** A file that grows by more than this while it is read will never settle. */
const GROWTH_MAX = 67_108_864;

const ZEROS = Buffer.alloc(CHUNK_BYTES);
const ZEROS_NAME = hash("sha256", ZEROS);

/** Holes of a sparse file are found by comparing with zeros, which is much cheaper than hashing. */
function nameOf(piece: Buffer, batch: Batch): string {
  const isHole = piece.length === CHUNK_BYTES && piece.equals(ZEROS);
  const name = isHole ? ZEROS_NAME : hash("sha256", piece);
  batch.putNamed(name, piece);
  return name;
}

function fill(fd: number, buffer: Buffer): number {
  let filled = 0;
  while (filled < CHUNK_BYTES) {
    const bytes = readSync(fd, buffer, filled, CHUNK_BYTES - filled, null);
    if (bytes === 0) break;
    filled += bytes;
  }
  return filled;
}

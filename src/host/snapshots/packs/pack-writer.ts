import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { constants, zstdCompressSync } from "node:zlib";
import { errno } from "../../errno.ts";
import { SnapshotError } from "../snapshot-error.ts";
import { encodeFooter, encodeIndex, type IndexEntry, MAGIC } from "./pack-format.ts";

/**
 * The size up to which small objects share a block: files of one folder compress well together, and a read unpacks
 * little.
 */
const BLOCK_BYTES = 262_144;
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export interface PackWriter {
  readonly has: (name: string) => boolean;
  readonly add: (name: string, bytes: Uint8Array) => void;
  /** Flushes and renames the pack; it then survives a power cut. Null when nothing was added. */
  readonly finish: () => string | null;
  readonly abandon: () => void;
}

/** Creates no file before the first object. */
export function createPackWriter(folders: { readonly packs: string; readonly temporary: string }): PackWriter {
  const id = randomUUID();
  const temporary = join(folders.temporary, `${id}.pack`);
  const entries: IndexEntry[] = [];
  const names = new Set<string>();
  let fd: number | null = null;
  let end = 0;
  let block: { readonly name: string; readonly bytes: Buffer }[] = [];
  let blockBytes = 0;

  const write = (bytes: Uint8Array): void => {
    fd ??= openSync(temporary, "wx", 0o600);
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    end += bytes.length;
  };

  const closeBlock = (): void => {
    if (block.length === 0) return;
    if (end === 0) write(MAGIC);
    const raw =
      block.length === 1 && block[0] !== undefined ? block[0].bytes : Buffer.concat(block.map((one) => one.bytes));
    const packed = zstdCompressSync(raw, LEVEL);
    const isPacked = packed.length < raw.length;
    const stored = isPacked ? packed : raw;
    let at = 0;
    for (const { name, bytes } of block) {
      entries.push({ name, blockAt: end, blockBytes: stored.length, isPacked, at, bytes: bytes.length });
      at += bytes.length;
    }
    write(stored);
    block = [];
    blockBytes = 0;
  };

  const abandon = (): void => {
    if (fd !== null) closeSync(fd);
    fd = null;
    rmSync(temporary, { force: true });
  };

  const orFull = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      abandon();
      if (["ENOSPC", "EDQUOT", "EFBIG"].includes(errno(error) ?? "")) throw new SnapshotError("disk_full", {}, error);
      throw error;
    }
  };

  return {
    has: (name) => names.has(name),
    add: (name, bytes) =>
      orFull(() => {
        if (names.has(name)) return;
        names.add(name);
        if (blockBytes + bytes.length > BLOCK_BYTES) closeBlock();
        // Copied, because the caller reuses its buffer for the next file.
        block.push({ name, bytes: Buffer.from(bytes) });
        blockBytes += bytes.length;
      }),
    finish: () =>
      orFull(() => {
        closeBlock();
        if (fd === null) return null;
        const index = encodeIndex(entries);
        const indexAt = end;
        write(index);
        write(encodeFooter(indexAt, index));
        fsyncSync(fd);
        closeSync(fd);
        fd = null;
        const path = join(folders.packs, `${id}.pack`);
        renameSync(temporary, path);
        flushFolder(folders.packs);
        return path;
      }),
    abandon,
  };
}

/** A new name is durable only after its directory is flushed. */
export function flushFolder(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

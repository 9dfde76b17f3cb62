import { createHash, randomBytes } from "node:crypto";
import { mkdir, open, readFile, rename, rm, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";
import { type MayKeep, StoreError } from "../port.ts";

/** Content-addressed bytes in files: compressed, written once, flushed before an event names them. */
export interface Blobs {
  readonly put: (bytes: Uint8Array, mayKeep?: MayKeep) => Promise<string>;
  readonly get: (sha256: string) => Promise<Uint8Array | null>;
}

export const pack = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

export function blobPath(folder: string, sha256: string): string {
  return join(folder, sha256.slice(0, 2), `${sha256}.zst`);
}

export function createBlobs(folder: string): Blobs {
  const read = async (sha256: string): Promise<Uint8Array | null> => {
    const packed = await readIfThere(blobPath(folder, sha256));
    return packed === null ? null : unpack(sha256, packed);
  };
  return {
    put: async (bytes, mayKeep) => {
      refuseLarge(bytes);
      const sha256 = digest(bytes);
      const path = blobPath(folder, sha256);
      // A damaged blob is written again. An intact one may not be flushed yet.
      const known = await read(sha256).catch(ifCorrupt);
      if (known === null || !(await translated(() => touched(path)))) {
        const packed = await pack(bytes);
        mayKeep?.(packed.length);
        await writeDurably(folder, path, packed);
      }
      return sha256;
    },
    get: async (sha256) => (/^[0-9a-f]{64}$/.test(sha256) ? read(sha256) : null),
  };
}

/** Larger blobs are never stored, so larger contents are refused: a few packed bytes could fill the memory. */
export const BLOB_BYTES_MAX = 1_073_741_824;

export function refuseLarge({ length }: Uint8Array): void {
  if (length > BLOB_BYTES_MAX) throw new StoreError("payload_too_large", { bytes: length, max: BLOB_BYTES_MAX });
}

/** Unpacks a blob. Throws `log_corrupt` when the contents do not match the name. */
export async function unpack(sha256: string, packed: Uint8Array): Promise<Uint8Array> {
  const bytes = await decompress(packed, { maxOutputLength: BLOB_BYTES_MAX }).catch((cause: unknown) => {
    const isLarge = errno(cause) === "ERR_BUFFER_TOO_LARGE";
    const problem = isLarge ? `unpacks to more than ${BLOB_BYTES_MAX} bytes` : "does not unpack";
    throw new StoreError("log_corrupt", { blob: sha256, problem }, cause);
  });
  if (digest(bytes) !== sha256) throw new StoreError("log_corrupt", { blob: sha256, problem: "hash_mismatch" });
  return bytes;
}

/** Resets the blob's age, because an event is about to name it and a sweep must not take it. False when it is gone. */
async function touched(path: string): Promise<boolean> {
  try {
    await utimes(path, new Date(), new Date());
  } catch (cause) {
    if (errno(cause) === "ENOENT") return false;
    throw cause;
  }
  await syncFolder(dirname(path));
  return true;
}

async function writeDurably(root: string, path: string, bytes: Uint8Array): Promise<void> {
  const folder = dirname(path);
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  await translated(async () => {
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      const file = await open(temporary, "wx", 0o600);
      await file
        .writeFile(bytes)
        .then(() => file.sync())
        .finally(() => file.close());
      await rename(temporary, path);
    } catch (cause) {
      await rm(temporary, { force: true });
      throw cause;
    }
    await syncFolder(folder);
    if (made === undefined) return;
    await syncFolder(root);
    await syncFolder(dirname(root));
  });
}

/** A rename and a new folder are durable only after the parent folder is flushed. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}

async function readIfThere(path: string): Promise<Uint8Array | null> {
  return readFile(path).catch((cause: unknown) => {
    if (errno(cause) === "ENOENT") return null;
    throw failure(cause);
  });
}

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw failure(cause);
  }
}

function failure(cause: unknown): StoreError {
  const code = errno(cause);
  const details = { what: "blob", reason: String(cause) };
  if (code === "ENOSPC" || code === "EDQUOT") return new StoreError("disk_full", details, cause);
  if (code === "EROFS" || code === "EACCES" || code === "EPERM")
    return new StoreError("store_read_only", details, cause);
  return new StoreError("store_failed", details, cause);
}

function ifCorrupt(cause: unknown): null {
  if (cause instanceof StoreError && cause.code === "log_corrupt") return null;
  throw cause;
}

function errno(cause: unknown): unknown {
  return cause instanceof Error && "code" in cause ? cause.code : null;
}

export function digest(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { StoreError } from "../port.ts";
import { makeFolders } from "./make-folders.ts";

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** Replaces a file atomically: after a crash there is the old one or the new one. */
export async function replaceFile(path: string, bytes: Uint8Array | string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  await translated(async () => {
    try {
      await writeFlushed(temporary, bytes);
      await rename(temporary, path);
    } catch (cause) {
      await rm(temporary, { force: true });
      throw cause;
    }
    await flushFolder(dirname(path));
  });
}

/**
 * Writes a file in place and flushes it. After a crash it may be incomplete; the reader needs another way to detect
 * that.
 */
export async function writeFlushed(path: string, bytes: Uint8Array | string): Promise<void> {
  const file = await open(path, "w", FILE_MODE);
  await file
    .writeFile(bytes)
    .then(() => file.sync())
    .finally(() => file.close());
}

/** Makes a folder with its missing parents and flushes them all. */
export async function makeFolder(path: string): Promise<void> {
  const first = makeFolders(path, FOLDER_MODE);
  if (first === undefined) return;
  for (let made = path; ; made = dirname(made)) {
    await flushFolder(dirname(made));
    if (made === first || made === dirname(made)) return;
  }
}

/** A new, renamed or removed entry is durable only after its folder is flushed. */
export async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  await folder.sync().finally(() => folder.close());
}

/** Never blocks: anything but a regular file is not read. */
export async function readIfThere(path: string): Promise<Uint8Array | null> {
  return readFile(path).catch((cause: unknown) => {
    if (isErrno(cause, "ENOENT", "ENOTDIR")) return null;
    throw failure(cause);
  });
}

/** Reads evidence that the log is compared with. An unreadable file throws, because the check must not be skipped. */
export async function readEvidence(path: string): Promise<Uint8Array | null> {
  return readIfThere(path).catch((cause: unknown) => {
    const problem = cause instanceof StoreError ? (cause.details["problem"] ?? cause.details["reason"]) : String(cause);
    throw new StoreError("checkpoint_invalid", { path, problem: String(problem) }, cause);
  });
}

async function readFile(path: string): Promise<Uint8Array> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const found = await file.stat();
  if (!found.isFile()) throw new StoreError("store_failed", { path, problem: "it is not a file" });
  if (found.size > FILE_BYTES_MAX) throw new StoreError("store_failed", { path, problem: "it is too large" });
  return file.readFile();
}

/** For files that are read as a whole: keys, checkpoints, tiles. */
const FILE_BYTES_MAX = 1_048_576;

export async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw failure(cause);
  }
}

export function isErrno(cause: unknown, ...codes: readonly string[]): boolean {
  return cause instanceof Error && "code" in cause && codes.includes(String(cause.code));
}

export function failure(cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const details = { what: "tree", reason: String(cause) };
  if (isErrno(cause, "ENOSPC", "EDQUOT")) return new StoreError("disk_full", details, cause);
  if (isErrno(cause, "EROFS", "EACCES", "EPERM")) return new StoreError("store_read_only", details, cause);
  return new StoreError("store_failed", details, cause);
}

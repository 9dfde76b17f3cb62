import { randomBytes } from "node:crypto";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { StoreError } from "./port.ts";

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** Replaces a file as a whole: after a crash at any instant there is the old one or the new one. */
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

/** Writes a file in place and flushes it; whoever reads it after a crash must have another way to know that it is whole. */
export async function writeFlushed(path: string, bytes: Uint8Array | string): Promise<void> {
  const file = await open(path, "w", FILE_MODE);
  await file
    .writeFile(bytes)
    .then(() => file.sync())
    .finally(() => file.close());
}

/** A folder with those above it, down from one that is there; all of them durable. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: FOLDER_MODE });
  if (first === undefined) return;
  for (let made = path; ; made = dirname(made)) {
    await flushFolder(dirname(made));
    if (made === first || made === dirname(made)) return;
  }
}

/** What was made, renamed or removed in a folder is durable only with the folder. */
export async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  await folder.sync().finally(() => folder.close());
}

export async function readIfThere(path: string): Promise<Uint8Array | null> {
  return readFile(path).catch((cause: unknown) => {
    if (isErrno(cause, "ENOENT", "ENOTDIR")) return null;
    throw failure(cause);
  });
}

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

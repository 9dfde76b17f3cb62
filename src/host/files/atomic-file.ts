import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

export interface WriteOptions {
  /** Permissions of the file, whatever the umask. Default: owner only. */
  readonly mode?: number;
}

/**
 * Replaces a file atomically: after a crash there is the old one or the new one, and once this returns the new one
 * survives a power cut. A link at `path` is replaced, not followed. Only a killed process can leave its temporary file
 * (`.name.<uuid>.tmp`).
 */
export async function writeFileAtomic(
  path: string,
  bytes: Uint8Array | string,
  options: WriteOptions = {},
): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
  try {
    await writeFlushed(temporary, bytes, options.mode ?? 0o600);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await flushDirectory(dirname(path));
}

async function writeFlushed(path: string, bytes: Uint8Array | string, mode: number): Promise<void> {
  await using file = await open(path, "wx", 0o600);
  await file.chmod(mode);
  await file.writeFile(bytes);
  await file.sync();
}

/** The rename is durable only after the directory is flushed. */
async function flushDirectory(path: string): Promise<void> {
  await using directory = await open(path, "r");
  await directory.sync();
}

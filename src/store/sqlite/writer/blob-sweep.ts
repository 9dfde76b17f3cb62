import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isErrno, translated } from "../../files/durable-file.ts";
import type { SweptBlobs } from "../../port.ts";

export interface BlobFile {
  readonly name: string;
  readonly bytes: number;
}

/** Batches of blob files that are older than this and that no event names now. */
export async function* oldBlobs(
  folder: string,
  minAgeMs: number,
  isNamed: (blob: string) => boolean,
): AsyncGenerator<readonly BlobFile[]> {
  let found: BlobFile[] = [];
  for (const part of await names(folder)) {
    for (const file of await names(join(folder, part))) {
      const name = NAME.exec(file)?.[1];
      if (name === undefined || isNamed(name)) continue;
      const bytes = await sizeIfOld(join(folder, part, file), minAgeMs);
      if (bytes !== null) found.push({ name, bytes });
      if (found.length < SWEEP_MAX) continue;
      yield found;
      found = [];
    }
  }
  if (found.length > 0) yield found;
}

/** Removes incomplete files of interrupted writes. The caller makes sure that nobody is writing. */
export async function removeTorn(folder: string, minAgeMs: number): Promise<SweptBlobs> {
  let blobs = 0;
  let bytes = 0;
  for (const part of await names(folder))
    for (const file of await names(join(folder, part))) {
      const size = file.endsWith(".tmp") ? await sizeIfOld(join(folder, part, file), minAgeMs) : null;
      if (size === null) continue;
      await translated(() => rm(join(folder, part, file), { force: true }));
      blobs += 1;
      bytes += size;
    }
  return { blobs, bytes };
}

/** Null when it is younger or gone. */
export async function sizeIfOld(path: string, minAgeMs: number): Promise<number | null> {
  const found = await stat(path).catch((cause: unknown) => {
    if (isErrno(cause, "ENOENT")) return null;
    throw cause;
  });
  return found !== null && Date.now() - found.mtimeMs >= minAgeMs ? found.size : null;
}

async function names(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((cause: unknown) => {
    if (isErrno(cause, "ENOENT", "ENOTDIR")) return [];
    throw cause;
  });
}

const SWEEP_MAX = 500;
const NAME = /^([0-9a-f]{64})\.zst$/;

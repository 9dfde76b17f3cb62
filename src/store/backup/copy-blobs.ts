import { constants } from "node:fs";
import { chmod, copyFile, lstat, mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { blobPath } from "../files/blobs.ts";
import { isErrno, translated } from "../files/durable-file.ts";
import { eachAtOnce, FILE_MODE, FOLDER_MODE, flushFiles } from "./flush-files.ts";

export interface CopiedBlobs {
  readonly blobs: number;
  readonly bytes: number;
  readonly missing: readonly string[];
}

/** Copies blobs between folders and flushes them. Returns the names of missing ones. */
export async function copyBlobs(names: Iterable<string>, from: string, to: string): Promise<CopiedBlobs> {
  const missing: string[] = [];
  const written: string[] = [];
  const folders = new Set([to]);
  let bytes = 0;
  await translated(() => mkdir(to, { recursive: true, mode: FOLDER_MODE }));
  await eachAtOnce(names, async (name) => {
    const path = blobPath(to, name);
    await translated(async () => {
      if (!folders.has(dirname(path))) await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
      folders.add(dirname(path));
      try {
        // A symbolic link, a pipe or a device with this name is not the blob.
        if (!(await lstat(blobPath(from, name))).isFile()) return void missing.push(name);
        await copyFile(blobPath(from, name), path, constants.COPYFILE_EXCL);
      } catch (cause) {
        if (!isErrno(cause, "ENOENT")) throw cause;
        missing.push(name);
        return;
      }
      await chmod(path, FILE_MODE);
      bytes += (await stat(path)).size;
      written.push(path);
    });
  });
  await flushFiles(written);
  await flushFiles(folders);
  return { blobs: written.length, bytes, missing };
}

import { createHash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { chmod, copyFile, lstat, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hex } from "../../domains/index.ts";
import { ARCHIVE, hashFile } from "../archive/archive-file.ts";
import { flushFolder, isErrno, readIfThere, translated } from "../files/durable-file.ts";
import { type LogCopy, type Progress, type Store, StoreError } from "../port.ts";
import type { LogTree } from "../tree/log-tree.ts";
import { createTileFiles } from "../tree/tile-files.ts";
import type { TreeHead } from "../tree/tile-store.ts";
import { copyTree } from "./copy-tree.ts";
import { FILE_MODE, FOLDER_MODE, flushFiles } from "./flush-files.ts";
import { MANIFEST, manifestText } from "./manifest.ts";

export interface BackupRequest {
  readonly home: string;
  /** Absolute. Nothing may exist there yet. */
  readonly path: string;
  readonly store: Pick<Store, "copyTo">;
  readonly tree: LogTree;
  /** Signs a checkpoint of exactly this size with the log's key. */
  readonly sign: (head: TreeHead) => string;
  readonly version: string;
  readonly madeAt: string;
  readonly progress: Progress;
}

export interface MadeBackup extends Omit<LogCopy, "events" | "missingBlobs"> {
  readonly path: string;
  readonly size: number;
  readonly root: string;
  readonly missingBlobs: number;
}

/**
 * Other files of the home that a backup contains, under the same relative paths. Archives and driver manifests are
 * added.
 */
const SMALL_FILES = [
  "config.json",
  "keys/log.key",
  "keys/key.pub",
  "checkpoint.cosigned",
  // Sealed. The keys that open it (keys/vault.*) and the fingerprint key are never part of a backup.
  "vault/secrets.age",
] as const;

const DRIVER = /^[a-z0-9][a-z0-9-]{0,63}\.json$/;

/** Writes under a temporary name, flushes, then renames: a folder with the final name is complete. */
export async function makeBackup(request: BackupRequest): Promise<MadeBackup> {
  const { path } = request;
  if (await isThere(path)) throw exists(path);
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    await translated(() => mkdir(temporary, { mode: FOLDER_MODE }));
    const made = await fill(temporary, request);
    await translated(async () => {
      // `rename` silently replaces an empty folder, so check as late as possible.
      if (await isThere(path)) throw exists(path);
      await rename(temporary, path).catch((cause: unknown) => {
        throw isErrno(cause, "EEXIST", "ENOTEMPTY", "ENOTDIR") ? exists(path) : cause;
      });
      await flushFolder(dirname(path));
    });
    return { path, ...made };
  } catch (cause) {
    await rm(temporary, { recursive: true, force: true });
    throw cause;
  }
}

async function fill(folder: string, request: BackupRequest): Promise<Omit<MadeBackup, "path">> {
  const { home, store, tree, sign, version, madeAt, progress } = request;
  const { events: size, missingBlobs, ...copy } = await store.copyTo(folder, progress);
  while (tree.head().size < size) await tree.advance();
  const head = { size, root: await tree.rootAt(size) };
  await copyTree(tree, head, createTileFiles(join(folder, "tree")));

  const files: Record<string, string> = {};
  const put = async (name: string, bytes: Uint8Array | string): Promise<void> => {
    await mkdir(dirname(join(folder, name)), { recursive: true, mode: FOLDER_MODE });
    await writeFile(join(folder, name), bytes, { mode: FILE_MODE, flag: "wx" });
    files[name] = createHash("sha256").update(bytes).digest("hex");
  };
  await translated(async () => {
    for (const name of [...SMALL_FILES, ...(await filesIn(home, "drivers", DRIVER))]) {
      const bytes = await readIfThere(join(home, name));
      if (bytes !== null) await put(name, bytes);
    }
    for (const name of await filesIn(home, "archive", ARCHIVE)) {
      await mkdir(dirname(join(folder, name)), { recursive: true, mode: FOLDER_MODE });
      await copyFile(join(home, name), join(folder, name), constants.COPYFILE_EXCL);
      await chmod(join(folder, name), FILE_MODE);
      files[name] = (await hashFile(join(folder, name))).sha256;
    }
    await put("checkpoint", sign(head));
    const manifest = manifestText({ version, madeAt, size, root: hex(head.root), missingBlobs, files });
    await flushFiles(Object.keys(files).map((name) => join(folder, name)));
    await writeFile(join(folder, MANIFEST), manifest, { mode: FILE_MODE, flag: "wx" });
    const folders = new Set(Object.keys(files).map((name) => dirname(join(folder, name))));
    await flushFiles([join(folder, MANIFEST), ...folders, folder]);
    await chmod(folder, FOLDER_MODE);
  });
  return { size, root: hex(head.root), missingBlobs: missingBlobs.length, ...copy };
}

async function filesIn(home: string, folder: string, form: RegExp): Promise<readonly string[]> {
  const names = await readdir(join(home, folder)).catch((cause: unknown) => {
    if (isErrno(cause, "ENOENT")) return [];
    throw cause;
  });
  return names.filter((name) => form.test(name)).map((name) => `${folder}/${name}`);
}

async function isThere(path: string): Promise<boolean> {
  return translated(async () => {
    try {
      await lstat(path);
      return true;
    } catch (cause) {
      if (isErrno(cause, "ENOENT")) return false;
      throw cause;
    }
  });
}

function exists(path: string): StoreError {
  return new StoreError("backup_exists", { path });
}

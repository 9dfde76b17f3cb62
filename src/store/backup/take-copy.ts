import { constants } from "node:fs";
import { copyFile, lstat, mkdir, readdir, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hashFile } from "../archive/archive-file.ts";
import { isErrno, translated } from "../files/durable-file.ts";
import { StoreError } from "../port.ts";
import { openLogFile } from "../sqlite/opening/log-file.ts";
import { copyBlobs } from "./copy-blobs.ts";
import { FOLDER_MODE, flushFiles } from "./flush-files.ts";
import { invalid, type Manifest } from "./manifest.ts";

/**
 * Makes a durable working copy of a backup. The copy is verified and then restored, so a change to the backup in
 * between has no effect. Only regular files are read; symbolic links are not followed.
 */
export async function takeCopy(from: string, { files }: Manifest, to: string): Promise<void> {
  const written: string[] = [];
  const folders = new Set([to]);
  const take = async (name: string): Promise<void> => {
    await mkdir(dirname(join(to, name)), { recursive: true, mode: FOLDER_MODE });
    for (let folder = dirname(join(to, name)); folder !== to; folder = dirname(folder)) folders.add(folder);
    const found = await lstat(join(from, name)).catch(ifNotThere);
    if (found === null || !found.isFile()) throw invalid(from, "a file is missing", { file: name });
    const { bavail, bsize } = await statfs(to);
    if (found.size > bavail * bsize)
      throw new StoreError("disk_full", { file: name, needed: found.size, free: bavail * bsize });
    await copyFile(join(from, name), join(to, name), constants.COPYFILE_EXCL);
    written.push(join(to, name));
  };
  await translated(async () => {
    for (const [name, hash] of Object.entries(files)) {
      if (!NAMED_FILE.test(name))
        throw invalid(from, "the manifest names a file that is none of a backup's", { file: name });
      await take(name);
      if ((await hashFile(join(to, name))).sha256 !== hash)
        throw invalid(from, "a file is not as it was", { file: name });
    }
    await take("log.db");
    for (const tile of await tilesIn(join(from, "tree"))) await take(join("tree", tile));
  });
  await takeBlobs(from, to).catch((cause: unknown) => {
    if (!(cause instanceof StoreError) || cause.code !== "log_corrupt") throw cause;
    throw invalid(from, "the log cannot be read", { ...cause.details }, cause);
  });
  await flushFiles(written);
  await flushFiles(folders);
}

/** Paths that cannot lead out of the backup. */
const NAMED_FILE =
  /^(checkpoint(\.cosigned)?|config\.json|keys\/(log\.key|key\.pub)|vault\/secrets\.age|archive\/[0-9a-f-]{36}\.jsonl\.zst|drivers\/[a-z0-9][a-z0-9-]{0,63}\.json)$/;
const TILE = /^(size|tile\/[0-9]{1,2}(\/x[0-9]{3})*\/[0-9]{3}(\.p\/[0-9]{1,3})?)$/;

async function tilesIn(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true }).catch(ifNotThere);
  return (found ?? []).filter((name) => TILE.test(name));
}

/** Copies the blobs that the log names. */
async function takeBlobs(from: string, to: string): Promise<void> {
  const log = openLogFile(join(to, "log.db"));
  try {
    await copyBlobs(log.blobNames(), join(from, "blobs"), join(to, "blobs"));
  } finally {
    log.close();
  }
}

function ifNotThere(cause: unknown): null {
  if (isErrno(cause, "ENOENT", "ENOTDIR")) return null;
  throw cause;
}

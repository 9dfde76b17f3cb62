import { randomUUID } from "node:crypto";
import { type FileHandle, lstat, mkdir, open, rename, rm } from "node:fs/promises";
import {
  canHoldFolders,
  type Files,
  type HeldFolder,
  HostError,
  holdFolder,
  missingFile,
  notAFile,
} from "../../host/index.ts";
import type { HomeIdentity } from "./home-identity.ts";

/**
 * Reads and writes files for sessions through directory handles instead of paths. Between a check and a use, a session can
 * replace any part of a path by a link to the daemon's home. So each directory is opened from its parent's handle, never
 * through a link, and the home is refused.
 */
export function refuseHomeFiles(plain: Files, home: HomeIdentity): Files {
  if (!canHoldFolders()) return plain;
  const split = (root: string, path: string): { readonly folders: readonly string[]; readonly name: string } => {
    const folders = plain.place(root, path).split("/");
    const name = folders.pop() ?? "";
    if (name === "") throw new HostError("path_invalid", `${path} names no file`, { remedy: "name a file" });
    return { folders, name };
  };

  const openFolder = folderOpener(home);
  const withFile = async <T>(
    root: string,
    path: string,
    use: (file: FileHandle, size: number, folder: HeldFolder) => Promise<T>,
  ): Promise<T> => {
    const { folders, name } = split(root, path);
    await using folder = await openFolder(root, folders, false);
    await using file = await folder.open(name);
    const found = await file.stat();
    if (!found.isFile()) throw notAFile(path);
    return use(file, found.size, folder);
  };

  return {
    ...plain,
    write: async (root, path, text) => {
      const { folders, name } = split(root, path);
      await using folder = await openFolder(root, folders, true);
      const temporary = folder.at(`.${name}.${randomUUID()}.tmp`);
      try {
        await writeFlushed(temporary, text, await modeOf(folder, name));
        await rename(temporary, folder.at(name));
      } catch (thrown) {
        await rm(temporary, { force: true });
        throw thrown;
      }
      await folder.flush();
    },
    read: (root, path, maxBytes) =>
      withFile(root, path, async (file, size) => {
        if (size > maxBytes) throw tooLarge(path, size, maxBytes);
        return (await readAsOfNow(file, 0, size)).toString("utf8");
      }),
    range: (root, path, from, bytes) =>
      withFile(root, path, async (file, size) => {
        const length = Math.max(0, Math.min(bytes, size - from));
        return { bytes: await readAsOfNow(file, from, length), size };
      }).catch((thrown: unknown) => missingFile(path, thrown)),
    remove: (root, path) =>
      withFile(root, path, async (_file, _size, folder) => {
        await rm(folder.at(split(root, path).name));
        await folder.flush();
      }).catch((thrown: unknown) => missingFile(path, thrown)),
  };
}

/** Opens a folder below a root, each part from its parent's handle; with `make`, missing ones are made. */
function folderOpener(home: HomeIdentity) {
  const refuseHome = async (folder: HeldFolder, root: string): Promise<void> => {
    if (home.is(await folder.stat())) moved(root);
  };
  return async (root: string, folders: readonly string[], make: boolean): Promise<HeldFolder> => {
    let folder = (await holdFolder(root)) ?? moved(root);
    try {
      await refuseHome(folder, root);
      for (const part of folders) {
        const next = await step(folder, part, make);
        await folder[Symbol.asyncDispose]();
        folder = next;
        await refuseHome(folder, root);
      }
      return folder;
    } catch (thrown) {
      await folder[Symbol.asyncDispose]();
      throw thrown;
    }
  };
}

/** A file that is replaced keeps its mode; a link is replaced by a plain file. */
async function modeOf(folder: HeldFolder, name: string): Promise<number> {
  const found = await lstat(folder.at(name)).catch(() => null);
  return found?.isFile() === true ? found.mode & 0o777 : 0o644;
}

async function step(folder: HeldFolder, part: string, make: boolean): Promise<HeldFolder> {
  return folder.enter(part).catch(async (thrown: unknown) => {
    if (!make || !(thrown instanceof Error) || !("code" in thrown) || thrown.code !== "ENOENT") throw thrown;
    // Not `recursive`: Node would loop for ever if the folder was deleted meanwhile.
    await mkdir(folder.at(part)).catch((failed: unknown) => {
      if (!(failed instanceof Error) || !("code" in failed) || failed.code !== "EEXIST") throw failed;
    });
    return folder.enter(part);
  });
}

async function writeFlushed(path: Buffer, text: string, mode: number): Promise<void> {
  await using file = await open(path, "wx", 0o600);
  await file.chmod(mode);
  await file.writeFile(text);
  await file.sync();
}

/** Reads at most the size that was checked: a file that grows must not fill the daemon's memory. */
async function readAsOfNow(file: FileHandle, from: number, size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await file.read(bytes, filled, size - filled, from + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

function moved(root: string): never {
  throw new HostError("path_outside", `${root} is no longer the session's directory`, {
    remedy: "put the directory back, or start a new session",
    details: { root },
  });
}

function tooLarge(path: string, size: number, maxBytes: number): HostError {
  return new HostError("file_too_large", `${path} has ${size} bytes`, {
    remedy: `read files of at most ${maxBytes} bytes`,
    details: { path, size, maxBytes },
  });
}

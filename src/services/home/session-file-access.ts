import { randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { canHoldFolders, type Files, type HeldFolder, HostError, holdFolder } from "../../host/index.ts";
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

  const openFolder = async (root: string, folders: readonly string[], make: boolean): Promise<HeldFolder> => {
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

  const refuseHome = async (folder: HeldFolder, root: string): Promise<void> => {
    if (home.is(await folder.stat())) moved(root);
  };

  return {
    ...plain,
    write: async (root, path, text) => {
      const { folders, name } = split(root, path);
      await using folder = await openFolder(root, folders, true);
      const temporary = folder.at(`.${name}.${randomUUID()}.tmp`);
      try {
        await writeFlushed(temporary, text);
        await rename(temporary, folder.at(name));
      } catch (thrown) {
        await rm(temporary, { force: true });
        throw thrown;
      }
      await folder.flush();
    },
    read: async (root, path, maxBytes) => {
      const { folders, name } = split(root, path);
      await using folder = await openFolder(root, folders, false);
      await using file = await folder.open(name);
      const found = await file.stat();
      if (!found.isFile()) throw new HostError("path_invalid", `${path} is not a file`, { remedy: "name a file" });
      if (found.size > maxBytes) throw tooLarge(path, found.size, maxBytes);
      return readAsOfNow(file, found.size);
    },
  };
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

async function writeFlushed(path: Buffer, text: string): Promise<void> {
  await using file = await open(path, "wx", 0o600);
  await file.chmod(0o644);
  await file.writeFile(text);
  await file.sync();
}

/** Reads at most the size that was checked: a file that grows must not fill the daemon's memory. */
async function readAsOfNow(file: FileHandle, size: number): Promise<string> {
  const bytes = Buffer.alloc(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await file.read(bytes, filled, size - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled).toString("utf8");
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

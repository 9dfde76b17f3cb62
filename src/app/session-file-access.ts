import { randomUUID } from "node:crypto";
import { constants, existsSync } from "node:fs";
import { type FileHandle, mkdir, open, readlink, rename, rm } from "node:fs/promises";
import { type Files, HostError } from "../host/index.ts";
import type { HomeIdentity } from "./home-identity.ts";

/** Where Linux shows a process its own open files; a name below one of them starts at that directory, whatever it is called. */
const OPEN_FILES = "/proc/self/fd";
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Reading and writing for sessions, held by handles instead of names. Between two looks at a path a session can turn any
 * part of it, its own directory included, into a link to the daemon's home, and the daemon would follow. So every
 * directory on the way is opened from its parent's handle, never through a link, and none of them may be the home.
 */
export function refuseHomeFiles(plain: Files, home: HomeIdentity): Files {
  if (!existsSync(OPEN_FILES)) return plain;
  const split = (root: string, path: string): { readonly folders: readonly string[]; readonly name: string } => {
    const folders = plain.place(root, path).split("/");
    const name = folders.pop() ?? "";
    if (name === "") throw new HostError("path_invalid", `${path} names no file`, { remedy: "name a file" });
    return { folders, name };
  };

  const openFolder = async (root: string, folders: readonly string[], make: boolean): Promise<FileHandle> => {
    let folder = await open(root, FOLDER);
    try {
      if ((await readlink(below(folder))) !== root) throw moved(root);
      await refuseHome(folder, root);
      for (const part of folders) {
        const next = await step(folder, part, make);
        await folder.close();
        folder = next;
        await refuseHome(folder, root);
      }
      return folder;
    } catch (thrown) {
      await folder.close();
      throw thrown;
    }
  };

  const refuseHome = async (folder: FileHandle, root: string): Promise<void> => {
    if (home.is(await folder.stat({ bigint: true }))) throw moved(root);
  };

  return {
    ...plain,
    write: async (root, path, text) => {
      const { folders, name } = split(root, path);
      await using folder = await openFolder(root, folders, true);
      const temporary = below(folder, `.${name}.${randomUUID()}.tmp`);
      try {
        await writeFlushed(temporary, text);
        await rename(temporary, below(folder, name));
      } catch (thrown) {
        await rm(temporary, { force: true });
        throw thrown;
      }
      await folder.sync();
    },
    read: async (root, path, maxBytes) => {
      const { folders, name } = split(root, path);
      await using folder = await openFolder(root, folders, false);
      const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
      await using file = await open(below(folder, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      const found = await file.stat();
      if (!found.isFile()) throw new HostError("path_invalid", `${path} is not a file`, { remedy: "name a file" });
      if (found.size > maxBytes) throw tooLarge(path, found.size, maxBytes);
      return readAsOfNow(file, found.size);
    },
  };
}

async function step(folder: FileHandle, part: string, make: boolean): Promise<FileHandle> {
  const path = below(folder, part);
  return open(path, FOLDER).catch(async (thrown: unknown) => {
    if (!make || !(thrown instanceof Error) || !("code" in thrown) || thrown.code !== "ENOENT") throw thrown;
    // One folder, below a handle: with `recursive` Node would try for ever where that folder was deleted.
    await mkdir(path).catch((failed: unknown) => {
      if (!(failed instanceof Error) || !("code" in failed) || failed.code !== "EEXIST") throw failed;
    });
    return open(path, FOLDER);
  });
}

async function writeFlushed(path: string, text: string): Promise<void> {
  await using file = await open(path, "wx", 0o600);
  await file.chmod(0o644);
  await file.writeFile(text);
  await file.sync();
}

/** No more than it had when it was looked at: a file that grows may not grow the daemon. */
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

function below(folder: FileHandle, name?: string): string {
  return name === undefined ? `${OPEN_FILES}/${folder.fd}` : `${OPEN_FILES}/${folder.fd}/${name}`;
}

function moved(root: string): HostError {
  return new HostError("path_outside", `${root} is no longer the session's directory`, {
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

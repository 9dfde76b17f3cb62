import { constants, type Dirent } from "node:fs";
import { type FileHandle, open, readdir, readlink } from "node:fs/promises";
import { errno } from "../errno.ts";

/**
 * A directory that was opened and is reached through that handle from then on. Who can write where we read can put a link
 * in the place of any directory at any moment; a name below a handle starts at the directory itself, whatever it is called.
 */
export interface HeldFolder extends AsyncDisposable {
  readonly at: (name: Buffer | string) => Buffer;
  readonly list: () => Promise<Dirent<Buffer>[]>;
  /** Null: nothing by that name, or no directory but a link to one. */
  readonly inner: (name: Buffer | string) => Promise<HeldFolder | null>;
  /** For reading, and without ever waiting for a pipe. Null: nothing by that name, or no regular file. */
  readonly file: (name: Buffer | string) => Promise<FileHandle | null>;
}

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
/** Elsewhere a handle has no path: there the last name is not followed, and that is all. */
const HAS_PROC = process.platform === "linux";

/** By its real path. Null: there is none, or a link is on the way to it. */
export async function holdFolder(path: string): Promise<HeldFolder | null> {
  const handle = await openReal(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  return handle === null ? null : held(handle, Buffer.from(path));
}

/** As `holdFolder`, for a regular file. */
export async function holdFile(path: string): Promise<FileHandle | null> {
  return regular(await openReal(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
}

/** A path that means the opened file, and no other. */
export function pathOfFile({ fd }: FileHandle): string | null {
  return HAS_PROC ? `/proc/self/fd/${fd}` : null;
}

/** Whoever replaces a file by another one, as git does, makes the first look miss. */
const LOOKS_MAX = 5;

async function openReal(path: string, flags: number): Promise<FileHandle | null> {
  for (let looks = 1; looks <= LOOKS_MAX; looks += 1) {
    const handle = await open(path, flags).catch(orNothing);
    const real = handle === null ? null : pathOfFile(handle);
    if (handle === null || real === null || (await readlink(real)) === path) return handle;
    await handle.close();
  }
  return null;
}

function held(handle: FileHandle, spelled: Buffer): HeldFolder {
  const prefix = HAS_PROC ? Buffer.from(`/proc/self/fd/${handle.fd}`) : spelled;
  const below = (start: Buffer, name: Buffer | string) => Buffer.concat([start, SLASH, Buffer.from(name)]);
  const at = (name: Buffer | string) => below(prefix, name);
  return {
    at,
    list: () => readdir(prefix, { withFileTypes: true, encoding: "buffer" }),
    inner: async (name) => {
      const found = await open(at(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(orOther);
      return found === null ? null : held(found, below(spelled, name));
    },
    file: async (name) => regular(await open(at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(orOther)),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

const SLASH = Buffer.from("/");

async function regular(handle: FileHandle | null): Promise<FileHandle | null> {
  if (handle === null || (await handle.stat()).isFile()) return handle;
  await handle.close();
  return null;
}

function orNothing(thrown: unknown): null {
  return errno(thrown) === "EACCES" ? null : orOther(thrown);
}

/** What is there and closed to us is not the same as nothing. */
function orOther(thrown: unknown): null {
  if (["ENOENT", "ENOTDIR", "ELOOP", "ENXIO"].includes(errno(thrown) ?? "")) return null;
  throw thrown;
}

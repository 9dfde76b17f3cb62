import { type BigIntStats, constants, type Dirent, existsSync } from "node:fs";
import { type FileHandle, open, readdir, readlink } from "node:fs/promises";
import { errno } from "../errno.ts";

/**
 * A directory that was opened and is reached through that handle from then on. Whoever can write where we read can put a
 * link in the place of any directory at any moment. A path that begins with a handle starts at the directory itself,
 * whatever it is called by then. The one place that knows how such a path is spelled.
 */
export interface HeldFolder extends AsyncDisposable {
  readonly at: (name: Buffer | string) => Buffer;
  readonly list: () => Promise<Dirent<Buffer>[]>;
  /** Null: nothing by that name, or no directory but a link to one. */
  readonly inner: (name: Buffer | string) => Promise<HeldFolder | null>;
  /** For reading, and without ever waiting for a pipe. Null: nothing by that name, or no regular file. */
  readonly file: (name: Buffer | string) => Promise<FileHandle | null>;
  /** As `inner`; rejects with the error of the system. */
  readonly enter: (name: Buffer | string) => Promise<HeldFolder>;
  /** As `file`, whatever kind of file it is; rejects with the error of the system. */
  readonly open: (name: Buffer | string) => Promise<FileHandle>;
  readonly stat: () => Promise<BigIntStats>;
  /** Resolves when its names are on disk. */
  readonly flush: () => Promise<void>;
}

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
/** Opens a directory, and never through a link. */
export const FOLDER_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
const FILE_FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;
/** Elsewhere a handle has no path: there the last name is not followed, and that is all. */
const HAS_PROC = process.platform === "linux";
const OPEN_FILES = "/proc/self/fd";

/** Whether a held directory really cannot be exchanged here. */
export function canHoldFolders(): boolean {
  return existsSync(OPEN_FILES);
}

/** A path that means what is open under this number, and nothing else. Null: this system has none. */
export function pathOfDescriptor(fd: number): string | null {
  return HAS_PROC ? `${OPEN_FILES}/${fd}` : null;
}

/** By its real path. Null: there is none, or a link is on the way to it. */
export async function holdFolder(path: string): Promise<HeldFolder | null> {
  const handle = await openReal(path, FOLDER_FLAGS);
  return handle === null ? null : held(handle, Buffer.from(path));
}

/** As `holdFolder`, for a regular file. */
export async function holdFile(path: string): Promise<FileHandle | null> {
  return regular(await openReal(path, FILE_FLAGS));
}

/** A file that is replaced while it is opened, as git does, needs a second look. */
const LOOKS_MAX = 5;

async function openReal(path: string, flags: number): Promise<FileHandle | null> {
  for (let looks = 1; looks <= LOOKS_MAX; looks += 1) {
    const handle = await open(path, flags).catch(orNothing);
    const real = handle === null ? null : pathOfDescriptor(handle.fd);
    if (handle === null || real === null || (await readlink(real)) === path) return handle;
    await handle.close();
  }
  return null;
}

function held(handle: FileHandle, spelled: Buffer): HeldFolder {
  const prefix = Buffer.from(pathOfDescriptor(handle.fd) ?? spelled);
  const below = (start: Buffer, name: Buffer | string) => Buffer.concat([start, SLASH, Buffer.from(name)]);
  const at = (name: Buffer | string) => below(prefix, name);
  const enter = async (name: Buffer | string) => held(await open(at(name), FOLDER_FLAGS), below(spelled, name));
  const openFile = (name: Buffer | string) => open(at(name), FILE_FLAGS);
  return {
    at,
    list: () => readdir(prefix, { withFileTypes: true, encoding: "buffer" }),
    inner: (name) => enter(name).catch(orOther),
    file: async (name) => regular(await openFile(name).catch(orOther)),
    enter,
    open: openFile,
    stat: () => handle.stat({ bigint: true }),
    flush: () => handle.sync(),
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

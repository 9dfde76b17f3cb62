import { type BigIntStats, constants, type Dirent, existsSync } from "node:fs";
import { type FileHandle, open, readdir, readlink } from "node:fs/promises";
import { errno } from "../errno.ts";

/**
 * A directory that is accessed only through its open handle. Whoever can write where we read could replace a directory
 * by a link at any time; a path that starts at the handle still leads to the same directory. Only this file knows the
 * form of such paths.
 */
export interface HeldFolder extends AsyncDisposable {
  readonly at: (name: Buffer | string) => Buffer;
  readonly list: () => Promise<Dirent<Buffer>[]>;
  /** Null when it is missing, no directory, or a link to one. */
  readonly inner: (name: Buffer | string) => Promise<HeldFolder | null>;
  /** Opens for reading without blocking on a pipe. Null when it is missing or no regular file. */
  readonly file: (name: Buffer | string) => Promise<FileHandle | null>;
  /** Like `inner`, but rejects with the system's error. */
  readonly enter: (name: Buffer | string) => Promise<HeldFolder>;
  /** Like `file` for any kind of file, but rejects with the system's error. */
  readonly open: (name: Buffer | string) => Promise<FileHandle>;
  readonly stat: () => Promise<BigIntStats>;
  /** Resolves when its names are on disk. */
  readonly flush: () => Promise<void>;
}

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
/** Opens a directory without following a link. */
export const FOLDER_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
const FILE_FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;
/** Other systems have no path for a handle; there only the last component is protected against links. */
const HAS_PROC = process.platform === "linux";
const OPEN_FILES = "/proc/self/fd";

/** Whether this system protects held directories against being swapped. */
export function canHoldFolders(): boolean {
  return existsSync(OPEN_FILES);
}

/** A path that means exactly what is open under this descriptor. Null when the system has none. */
export function pathOfDescriptor(fd: number): string | null {
  return HAS_PROC ? `${OPEN_FILES}/${fd}` : null;
}

/** By real path. Null when it is missing or the path contains a link. */
export async function holdFolder(path: string): Promise<HeldFolder | null> {
  const handle = await openReal(path, FOLDER_FLAGS);
  return handle === null ? null : held(handle, Buffer.from(path));
}

/** Like `holdFolder`, for a regular file. */
export async function holdFile(path: string): Promise<FileHandle | null> {
  return regular(await openReal(path, FILE_FLAGS));
}

/** A file that is replaced while it is opened, as git does, needs another attempt. */
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

/** An inaccessible entry is an error, not a missing one. */
function orOther(thrown: unknown): null {
  if (["ENOENT", "ENOTDIR", "ELOOP", "ENXIO"].includes(errno(thrown) ?? "")) return null;
  throw thrown;
}

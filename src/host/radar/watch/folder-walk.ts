import { closeSync, type Dirent, fstatSync, opendirSync, openSync } from "node:fs";
import { errno } from "../../errno.ts";
import { FOLDER_FLAGS, pathOfDescriptor } from "../../files/held-folder.ts";
import { REBUILT } from "../../worktrees/carry-files.ts";

/** Called for each folder that is entered. `own` is a path to exactly the folder that is open, whatever its name leads to. */
export type OnFolder = (folder: { readonly path: string; readonly own: string; readonly ino: number }) => boolean;

export interface WalkOptions {
  /** A real path. */
  readonly root: string;
  /** Folders that are entered; the others are returned. */
  readonly enters: ReadonlySet<string>;
  /** False: nothing more is entered. */
  readonly onFolder: OnFolder;
  /** Called for what is no folder, where the walk was asked to. */
  readonly onFile: (folder: string, name: string) => void;
}

const DEPTH_MAX = 128;
const ENTRIES_AT_ONCE = 256;
const ENTRIES_MAX = 200_000;
const SKIPPED: ReadonlySet<string> = new Set([".git", REBUILT]);

export const isSkipped = (path: string): boolean => SKIPPED.has(path.slice(path.lastIndexOf("/") + 1));

/**
 * Walks from one folder down, by open handles: a link that an agent puts in the way leads nowhere. Returns folders that it
 * did not enter; null: it was stopped, or there is more than is worth to be watched.
 */
export function walkFolders(options: WalkOptions, from: string, tellsFiles: boolean): readonly string[] | null {
  const { root, enters, onFolder, onFile } = options;
  const others: string[] = [];
  const enter = (fd: number, path: string, depth: number): boolean => {
    const own = pathOfDescriptor(fd);
    const entries = own === null || depth > DEPTH_MAX ? null : listed(own);
    if (own === null || entries === null) return false;
    // A repository of its own is not part of the worktree.
    if (path !== "" && entries.some(({ name }) => name === ".git")) return true;
    if (!onFolder({ path, own, ino: fstatSync(fd).ino })) return false;
    return entries.every((entry) => {
      const { name } = entry;
      if (SKIPPED.has(name) || name.includes("\ufffd")) return true;
      const inner = path === "" ? name : `${path}/${name}`;
      if (!entry.isDirectory()) {
        if (tellsFiles) onFile(path, name);
        return true;
      }
      if (enters.has(inner)) return inFolder(`${own}/${name}`, (at) => enter(at, inner, depth + 1));
      others.push(inner);
      return true;
    });
  };
  const parts = from === "" ? [] : from.split("/");
  const step = (fd: number, at: number): boolean => {
    const part = parts[at];
    if (part === undefined) return enter(fd, from, at);
    return inFolder(`${pathOfDescriptor(fd) ?? ""}/${part}`, (inner) => step(inner, at + 1));
  };
  return inFolder(root, (fd) => step(fd, 0)) ? others : null;
}

/** Nothing is done where a folder is gone, or is no folder any more. */
function inFolder(path: string, work: (fd: number) => boolean): boolean {
  const fd = opened(path);
  if (fd === null) return true;
  try {
    return work(fd);
  } finally {
    closeSync(fd);
  }
}

function opened(path: string): number | null {
  try {
    return openSync(path, FOLDER_FLAGS);
  } catch (thrown) {
    if (["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "ENXIO"].includes(errno(thrown) ?? "")) return null;
    throw thrown;
  }
}

/** Null: there are too many. */
function listed(path: string): Dirent[] | null {
  const folder = opendirSync(path, { bufferSize: ENTRIES_AT_ONCE });
  try {
    const entries: Dirent[] = [];
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      if (entries.length === ENTRIES_MAX) return null;
      entries.push(entry);
    }
    return entries;
  } finally {
    folder.closeSync();
  }
}

import { closeSync, openSync } from "node:fs";
import { FOLDER_FLAGS, pathOfDescriptor } from "../../files/held-folder.ts";
import { type ByteName, pathOf } from "./byte-path.ts";

/**
 * A directory during a walk: a synchronous held folder (see held-folder.ts). It is opened when first needed and can be
 * closed and reopened, because a tree has more directories than a process may keep open.
 */
export interface Folder {
  /** Relative to the top; empty for the top itself. */
  readonly path: ByteName;
  readonly depth: number;
  /** The path by name. It may lead elsewhere by now: use it only for checks that are verified, never for reading. */
  readonly spelled: ByteName;
  /** A path prefix that always means this directory. Opens it if needed. */
  readonly held: () => string;
  readonly descriptor: () => number;
  readonly inner: (name: ByteName) => Folder;
  readonly close: () => void;
}

export function openTop(root: ByteName): Folder {
  return createFolder({ path: "", depth: 0, spelled: root, place: () => pathOf(root) });
}

interface FolderOptions {
  readonly path: ByteName;
  readonly depth: number;
  readonly spelled: ByteName;
  readonly place: () => string | Buffer;
}

function createFolder({ path, depth, spelled, place }: FolderOptions): Folder {
  let fd: number | null = null;
  const descriptor = (): number => {
    fd ??= openSync(place(), FOLDER_FLAGS);
    return fd;
  };
  // Where descriptors have no path, the walk relies on its check of what was opened.
  const held = (): string => pathOfDescriptor(descriptor()) ?? spelled;
  return {
    path,
    depth,
    spelled,
    held,
    descriptor,
    inner: (name) =>
      createFolder({
        path: path === "" ? name : `${path}/${name}`,
        depth: depth + 1,
        spelled: `${spelled}/${name}`,
        place: () => pathOf(`${held()}/${name}`),
      }),
    close: () => {
      if (fd !== null) closeSync(fd);
      fd = null;
    },
  };
}

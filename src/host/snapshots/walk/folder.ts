import { closeSync, openSync } from "node:fs";
import { FOLDER_FLAGS, pathOfDescriptor } from "../../files/held-folder.ts";
import { type ByteName, pathOf } from "./byte-path.ts";

/**
 * A directory of the tree while it is being walked: a held folder (held-folder.ts) for the thread that walks. It is
 * opened when it is first needed and can be closed and opened again, and it never waits for a promise: a tree has more
 * directories than a process may hold open.
 */
export interface Folder {
  /** Below the top; empty for the top itself. */
  readonly path: ByteName;
  readonly depth: number;
  /** By name only. May mean another place by now: good for a look whose answer is checked, never for reading. */
  readonly spelled: ByteName;
  /** What stands here as the prefix of a path means this directory, and no other. Opens it when need be. */
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
  // Elsewhere a descriptor has no path: there the check of what was opened is all there is.
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

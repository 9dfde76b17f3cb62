import { closeSync, constants, openSync } from "node:fs";
import { type ByteName, pathOf } from "./byte-path.ts";

/**
 * A directory of the tree while it is being walked. An agent may put a link in a directory's place at any moment, so
 * nothing is read by the whole path: each directory is opened below the one above it, never through a link, and what is
 * in it is reached through that descriptor.
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

const OPEN_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const HAS_PROC = process.platform === "linux";

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
    fd ??= openSync(place(), OPEN_FOLDER);
    return fd;
  };
  // Elsewhere a descriptor has no path: there the check of what was opened is all there is.
  const held = (): string => (HAS_PROC ? `/proc/self/fd/${descriptor()}` : spelled);
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

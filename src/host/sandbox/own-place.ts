import { closeSync, fstatSync, openSync, readlinkSync } from "node:fs";
import { UNREACHABLE, unless } from "../errno.ts";

/** The identity of a file or directory, whatever its name. */
export interface Identity {
  readonly dev: number;
  readonly ino: number;
}

/** A file or directory that is kept open, so that its inode number is not reused. */
export interface HeldPlace extends Disposable {
  readonly path: string;
  readonly is: Identity;
  /** A path that leads to it for every process of this user, even if its name now means something else. */
  readonly reached: string;
}

/**
 * Opens a path that has no symbolic link in it; null when there is nothing or a link. The kernel reports where the
 * opened file is: checking the path separately could see two different files.
 */
export function holdPlace(path: string): HeldPlace | null {
  const fd = unless(UNREACHABLE, () => openSync(path, O_PATH));
  if (fd === null) return null;
  const { dev, ino } = fstatSync(fd);
  const reached = `/proc/${process.pid}/fd/${fd}`;
  let isOpen = true;
  const close = (): void => {
    if (isOpen) closeSync(fd);
    isOpen = false;
  };
  if (readlinkSync(reached) === path) return { path, is: { dev, ino }, reached, [Symbol.dispose]: close };
  close();
  return null;
}

/** The identity of the file or directory at a path without symbolic links; null when there is nothing or a link. */
export function identityAt(path: string): Identity | null {
  using held = holdPlace(path);
  return held?.is ?? null;
}

export function isSame(one: Identity | null, other: Identity | null): boolean {
  return one !== null && other !== null && one.dev === other.dev && one.ino === other.ino;
}

/** A Linux flag that Node does not define. Opens without reading, so the file need not be readable. */
const O_PATH = 0o10000000;

import { closeSync, fstatSync, openSync, readlinkSync } from "node:fs";
import { UNREACHABLE, unless } from "../errno.ts";

/** Which file or directory something is, whatever it is called. */
export interface Identity {
  readonly dev: number;
  readonly ino: number;
}

/** A file or directory that is kept open: until it is closed, its numbers belong to nothing else. */
export interface HeldPlace extends Disposable {
  readonly path: string;
  readonly is: Identity;
  /** A path that leads to it in every process of this user, whatever lies under its name by then. */
  readonly reached: string;
}

/**
 * Opens what is at a path without any link on the way; null when there is nothing, or a link. The kernel is asked where
 * that which was opened lies: a path that is looked at twice could be two different things.
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

/** Which file or directory is at a path without any link on the way; null when there is nothing, or a link. */
export function identityAt(path: string): Identity | null {
  using held = holdPlace(path);
  return held?.is ?? null;
}

export function isSame(one: Identity | null, other: Identity | null): boolean {
  return one !== null && other !== null && one.dev === other.dev && one.ino === other.ino;
}

/** From Linux; Node has no name for it. The file itself is not touched, and need not be readable. */
const O_PATH = 0o10000000;

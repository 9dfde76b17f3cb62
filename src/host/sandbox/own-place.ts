import { closeSync, fstatSync, openSync, readlinkSync } from "node:fs";
import { UNREACHABLE, unless } from "../errno.ts";

/** Which file or directory something is, whatever it is called. */
export interface Identity {
  readonly dev: number;
  readonly ino: number;
}

/**
 * What is at a path without any link on the way; null when there is nothing, or a link. The kernel is asked where that
 * which was opened lies: a path that is looked at twice could be two different things.
 */
export function identityAt(path: string): Identity | null {
  const fd = unless(UNREACHABLE, () => openSync(path, O_PATH));
  if (fd === null) return null;
  try {
    const { dev, ino } = fstatSync(fd);
    return readlinkSync(`/proc/self/fd/${fd}`) === path ? { dev, ino } : null;
  } finally {
    closeSync(fd);
  }
}

/** From Linux; Node has no name for it. The file itself is not touched, and need not be readable. */
const O_PATH = 0o10000000;

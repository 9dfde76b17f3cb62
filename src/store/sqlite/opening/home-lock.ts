import { spawnSync } from "node:child_process";
import { closeSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreError, type StoreErrorCode } from "../../port.ts";
import { isBusy, translate } from "../tables/schema.ts";

export interface HomeLock {
  /** Locks the file again if it was removed or replaced. False when another process has locked it meanwhile. */
  readonly keep: () => boolean;
  readonly release: () => void;
}

/**
 * One daemon per home, by two locks that the operating system releases when the process dies: no stale pid file, no
 * time-out. The first is on the directory itself, so removing files does not bypass it. It needs the program `flock`,
 * because Node cannot lock. The second is SQLite's exclusive lock on a file, which works everywhere. It belongs to the
 * process: opening and closing this file by other means in the same process would release it.
 */
export function lockHome(path: string): HomeLock {
  const folder = lockFolder(dirname(path));
  try {
    let file = openLocked(path);
    return {
      keep: () => {
        if (isSame(path, file.ino)) return true;
        const next = tryLock(path);
        if (next === null) return false;
        file.db.close();
        file = next;
        return true;
      },
      release: () => {
        file.db.close();
        folder.release();
      },
    };
  } catch (thrown) {
    folder.release();
    throw thrown;
  }
}

interface LockedFile {
  readonly db: DatabaseSync;
  readonly ino: bigint;
}

function tryLock(path: string): LockedFile | null {
  try {
    return openLocked(path);
  } catch (cause) {
    if (is(cause, "home_in_use")) return null;
    throw cause;
  }
}

function is(cause: unknown, code: StoreErrorCode): boolean {
  return cause instanceof StoreError && cause.code === code;
}

function openLocked(path: string): LockedFile {
  let db: DatabaseSync | null = null;
  try {
    db = new DatabaseSync(path, { timeout: 0 });
    db.exec("PRAGMA journal_mode=DELETE; PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE");
    return { db, ino: statSync(path, { bigint: true }).ino };
  } catch (cause) {
    db?.close();
    throw isBusy(cause) ? new StoreError("home_in_use", { lock: path }, cause) : translate(cause, { lock: path });
  }
}

function isSame(path: string, ino: bigint): boolean {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino === ino;
}

const FLOCK_TIMEOUT_MS = 5_000;
const FLOCK_CONFLICT = 1;

/**
 * `flock` locks the directory handle that it inherits, and the lock stays with our handle after `flock` has ended.
 * Without that program, or on a file system without such locks, only the lock file protects the home.
 */
function lockFolder(folder: string): { readonly release: () => void } {
  const fd = openFolder(folder);
  if (fd === null) return { release: () => undefined };
  const { status, stderr } = spawnSync("flock", ["-x", "-n", "3"], {
    stdio: ["ignore", "ignore", "pipe", fd],
    timeout: FLOCK_TIMEOUT_MS,
  });
  const isTaken = status === FLOCK_CONFLICT && stderr.length === 0;
  if (status !== 0) closeSync(fd);
  if (isTaken) throw new StoreError("home_in_use", { lock: folder });
  return { release: () => void (status === 0 && closeSync(fd)) };
}

/** Null for an unreadable home; opening the lock file then reports why. */
function openFolder(folder: string): number | null {
  try {
    return openSync(folder, "r");
  } catch {
    return null;
  }
}

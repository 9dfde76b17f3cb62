import { spawnSync } from "node:child_process";
import { closeSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreError, type StoreErrorCode } from "../../port.ts";
import { isBusy, translate } from "../tables/schema.ts";

export interface HomeLock {
  /** Takes the lock file again when somebody removed or replaced it. False: another process has it by now. */
  readonly keep: () => boolean;
  readonly release: () => void;
}

/**
 * One daemon per home, by two locks that the operating system drops the moment their holder dies, however it dies: no
 * stale pid file, no time-out. The first is on the directory itself: whoever removes files from the home does not get
 * around it. It needs the program `flock`, because Node cannot lock. The second is SQLite's exclusive lock on a file,
 * which holds everywhere. The process holds it: whoever opens and closes this file by other means in the same process
 * gives it up.
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
 * `flock` locks the open directory that we hand it, and the lock stays with our handle when it has ended. Where there is
 * no such program, or a file system knows no such lock, the lock file is all there is.
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

/** Null for a home that cannot be read: the lock file then says why. */
function openFolder(folder: string): number | null {
  try {
    return openSync(folder, "r");
  } catch {
    return null;
  }
}

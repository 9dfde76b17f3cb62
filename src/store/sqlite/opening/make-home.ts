import { closeSync, constants, fsyncSync, lstatSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolders } from "../../files/make-folders.ts";
import { StoreError } from "../../port.ts";

/** Makes the home and flushes every new parent folder, and creates the log file so that only its owner can read it. */
export function makeHome(home: string, logPath: string): void {
  try {
    const made = makeFolders(home);
    for (const path of [logPath, `${logPath}-wal`]) refuseOther(path);
    // SQLite would make it readable by everybody. Its other files inherit this file's permissions.
    const { O_APPEND, O_CREAT, O_NONBLOCK, O_WRONLY } = constants;
    closeSync(openSync(logPath, O_APPEND | O_CREAT | O_NONBLOCK | O_WRONLY, 0o600));
    if (made !== undefined) syncAbove(home, made);
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    const full = cause instanceof Error && "code" in cause && cause.code === "ENOSPC";
    throw new StoreError(full ? "disk_full" : "store_read_only", { home, reason: String(cause) }, cause);
  }
}

/** Opening a pipe would block for ever, and a folder cannot be repaired by changing permissions. */
function refuseOther(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || statSync(path, { throwIfNoEntry: false })?.isFile() === true) return;
  throw new StoreError("log_corrupt", { path, problem: "it is not a file" });
}

function syncAbove(home: string, highest: string): void {
  for (let folder = home; ; folder = dirname(folder)) {
    syncFolder(dirname(folder));
    if (folder === highest || folder === dirname(folder)) return;
  }
}

export function syncFolder(folder: string): void {
  const held = openSync(folder, "r");
  try {
    fsyncSync(held);
  } finally {
    closeSync(held);
  }
}

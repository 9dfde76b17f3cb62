import { closeSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { StoreError } from "../port.ts";

/** The home, durable with all the folders above it that had to be made, and in it a file that only its owner can read. */
export function makeHome(home: string, logPath: string): void {
  try {
    const made = mkdirSync(home, { recursive: true, mode: 0o700 });
    // SQLite would make it readable for everybody; its other files take their permissions from this one.
    closeSync(openSync(logPath, "a", 0o600));
    if (made !== undefined) syncAbove(home, made);
  } catch (cause) {
    const full = cause instanceof Error && "code" in cause && cause.code === "ENOSPC";
    throw new StoreError(full ? "disk_full" : "store_read_only", { home, reason: String(cause) }, cause);
  }
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

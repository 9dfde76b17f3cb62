import { closeSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { StoreError } from "../port.ts";

/** The home, durable with all the folders above it that had to be made. */
export function makeHome(home: string): void {
  try {
    const made = mkdirSync(home, { recursive: true, mode: 0o700 });
    if (made === undefined) return;
    for (let folder = home; ; folder = dirname(folder)) {
      syncFolder(dirname(folder));
      if (folder === made || folder === dirname(folder)) return;
    }
  } catch (cause) {
    const full = cause instanceof Error && "code" in cause && cause.code === "ENOSPC";
    throw new StoreError(full ? "disk_full" : "store_read_only", { home, reason: String(cause) }, cause);
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

import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../port.ts";
import { isBusy, translate } from "./schema.ts";

/**
 * One daemon per home. The lock is SQLite's own exclusive file lock, so the operating system drops it the moment its
 * holder dies, however it dies: no stale pid file, no time-out. It is the process that holds it: whoever opens and
 * closes this file by other means in the same process gives it up.
 */
export function lockHome(path: string): { readonly release: () => void } {
  let db: DatabaseSync | null = null;
  try {
    db = new DatabaseSync(path, { timeout: 0 });
    db.exec("PRAGMA journal_mode=DELETE; PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE");
    const held = db;
    return { release: () => held.close() };
  } catch (cause) {
    db?.close();
    throw isBusy(cause) ? new StoreError("home_in_use", { lock: path }, cause) : translate(cause, { lock: path });
  }
}

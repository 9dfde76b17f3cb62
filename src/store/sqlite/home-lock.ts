import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../port.ts";

/**
 * One daemon per home. The lock is SQLite's own exclusive file lock, so the operating system drops it the moment its
 * holder dies, however it dies: no stale pid file, no time-out.
 */
export function lockHome(path: string): { readonly release: () => void } {
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    db.exec("PRAGMA journal_mode=DELETE; PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch (cause) {
    db.close();
    throw new StoreError("home_in_use", { lock: path }, cause);
  }
  return { release: () => db.close() };
}

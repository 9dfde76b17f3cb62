import type { DatabaseSync } from "node:sqlite";
import { recountUsage } from "./recount-usage.ts";
import { SCHEMA_VERSION, USAGE_TABLES, versionOf } from "./schema.ts";

/** Brings a log of an earlier version to this one, all at once or not at all. Its events stay as they are. */
export function upgradeLog(db: DatabaseSync, blobFolder: string): void {
  if (versionOf(db) === SCHEMA_VERSION) return;
  db.exec("BEGIN IMMEDIATE");
  try {
    db.exec(USAGE_TABLES);
    recountUsage(db, blobFolder);
    db.exec(`PRAGMA user_version=${SCHEMA_VERSION}; COMMIT`);
  } catch (cause) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw cause;
  }
}

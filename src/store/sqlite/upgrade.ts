import type { DatabaseSync } from "node:sqlite";
import { recountUsage } from "./recount-usage.ts";
import { CURSORS, SCHEMA_VERSION, SESSIONS, USAGE_TABLES, versionOf } from "./schema.ts";

/** Brings a log of an earlier version to this one, all at once or not at all. Its events stay as they are. */
export function upgradeLog(db: DatabaseSync, blobFolder: string): void {
  const found = versionOf(db);
  if (found === SCHEMA_VERSION) return;
  db.exec("BEGIN IMMEDIATE");
  try {
    if (found < 2) {
      db.exec(USAGE_TABLES);
      recountUsage(db, blobFolder);
    }
    if (found < 3) findByWorkspace(db);
    if (found < 4) db.exec(CURSORS);
    db.exec(`PRAGMA user_version=${SCHEMA_VERSION}; COMMIT`);
  } catch (cause) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw cause;
  }
}

/** Made anew rather than altered: the statement that made a table is what it is known by. */
function findByWorkspace(db: DatabaseSync): void {
  db.exec("DROP INDEX sessions_name; DROP INDEX sessions_alive; DROP INDEX sessions_active");
  db.exec("ALTER TABLE sessions RENAME TO sessions_before");
  db.exec(SESSIONS);
  // A row that has been damaged is the comparison's to tell, not a reason not to start.
  db.exec(`INSERT INTO sessions(id, name, alive, shown, active, workspace, row, sum)
    SELECT id, name, alive, shown, active,
      CASE WHEN json_valid(row) THEN coalesce(json_extract(row, '$.workspace'), '') ELSE '' END, row, sum
    FROM sessions_before`);
  db.exec("DROP TABLE sessions_before");
}

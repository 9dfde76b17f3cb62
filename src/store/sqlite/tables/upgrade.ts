import type { DatabaseSync } from "node:sqlite";
import { recountUsage } from "../writer/recount-usage.ts";
import { LISTS } from "./lists.ts";
import { listsBefore } from "./lists-before-4.ts";
import { CURSORS, SCHEMA_VERSION, USAGE_TABLES, versionOf } from "./schema.ts";

/**
 * Upgrades an older log to this version, atomically. Events do not change. Version 5 changes no table: rows of sessions
 * no longer hold the id of the last event, so an older program must not read them.
 */
export function upgradeLog(db: DatabaseSync, blobFolder: string): void {
  const found = versionOf(db);
  if (found === SCHEMA_VERSION) return;
  db.exec("BEGIN IMMEDIATE");
  try {
    if (found < 2) {
      db.exec(USAGE_TABLES);
      recountUsage(db, blobFolder);
    }
    db.exec(`DELETE FROM snapshots WHERE NOT (${soundSnapshots(found)})`);
    if (found < 4) {
      db.exec(CURSORS);
      recordLists(db, found);
    }
    db.exec(`PRAGMA user_version=${SCHEMA_VERSION}; COMMIT`);
  } catch (cause) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw cause;
  }
}

/** Records the lists of an older log. Lists that differ from their definitions are converted afterwards. */
function recordLists(db: DatabaseSync, found: number): void {
  db.exec(LISTS);
  const put = db.prepare("INSERT INTO lists(name, made, filled) VALUES (?, ?, 1)");
  for (const [name, made] of listsBefore(found)) put.run(name, made);
}

/**
 * The fold snapshots of a log of this version that are still valid. Folds now store when an open question was asked and
 * whether an open effect was allowed; snapshots with either from before version 4 do not.
 */
export function soundSnapshots(version: number): string {
  if (version >= 4) return "true";
  const none = (member: string) => `coalesce(json_extract(CAST(state AS TEXT), '$.state.${member}'), '{}') = '{}'`;
  return `CASE WHEN json_valid(CAST(state AS TEXT)) THEN ${none("approvals")} AND ${none("effects")} ELSE true END`;
}

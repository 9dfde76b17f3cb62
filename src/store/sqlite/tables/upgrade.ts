import type { DatabaseSync } from "node:sqlite";
import { recountUsage } from "../writer/recount-usage.ts";
import { LISTS } from "./lists.ts";
import { listsBefore } from "./lists-before-4.ts";
import { CURSORS, SCHEMA_VERSION, USAGE_TABLES, versionOf } from "./schema.ts";

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

/** From here on a log says itself which lists it has. Those that differ from their definitions are made anew behind this. */
function recordLists(db: DatabaseSync, found: number): void {
  db.exec(LISTS);
  const put = db.prepare("INSERT INTO lists(name, made, filled) VALUES (?, ?, 1)");
  for (const [name, made] of listsBefore(found)) put.run(name, made);
}

/**
 * Which kept folds of a log of this version still hold. A fold with an open question now says when it was asked, and one
 * with an open effect whether it was allowed. Those kept before version 4 do not, and are folded again.
 */
export function soundSnapshots(version: number): string {
  if (version >= 4) return "true";
  const none = (member: string) => `coalesce(json_extract(CAST(state AS TEXT), '$.state.${member}'), '{}') = '{}'`;
  return `CASE WHEN json_valid(CAST(state AS TEXT)) THEN ${none("approvals")} AND ${none("effects")} ELSE true END`;
}

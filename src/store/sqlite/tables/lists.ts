import type { DatabaseSync } from "node:sqlite";
import type { List } from "../../../kernel/index.ts";
import { text } from "../../log/encoding.ts";
import { keysOrNone } from "../../models/rows.ts";
import { StoreError } from "../../port.ts";

/**
 * Since version 4: the lists of this log, with the SQL that created their tables, and whether they hold the rows of
 * older events.
 */
export const LISTS = `
CREATE TABLE lists(name TEXT PRIMARY KEY, made TEXT NOT NULL, filled INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`;

const ROWS_A_TIME = 500;

/** The SQL that creates a list's table, derived from its definition. */
function listStatements(list: List): readonly string[] {
  const keys = Object.entries(list.keys);
  const columns = keys.map(([key, { kind }]) => `"${key}" ${kind === "flag" ? "INTEGER NOT NULL" : "TEXT"}`);
  const own = ["id TEXT PRIMARY KEY", ...columns, "row TEXT NOT NULL", "sum INTEGER NOT NULL"];
  return [
    `CREATE TABLE "${list.table}"(${own.join(", ")}) STRICT, WITHOUT ROWID`,
    ...keys
      .filter(([, { indexed }]) => indexed)
      .map(([key, { kind }]) => {
        const name = `"${list.table}_${key}"`;
        if (kind === "text") return `CREATE INDEX ${name} ON "${list.table}"("${key}", id)`;
        return `CREATE INDEX ${name} ON "${list.table}"(id) WHERE "${key}" = 1`;
      }),
  ];
}

/** All recorded SQL that created lists of this log. */
export function recordedStatements(db: DatabaseSync): readonly string[] {
  return db
    .prepare("SELECT made FROM lists")
    .all()
    .flatMap((row) => text(row["made"]).split(";\n"));
}

/**
 * Creates the tables of the lists as defined now. A new list is empty, and marked as not filled if the log has events.
 * A list with changed keys is recreated from its rows. Atomic.
 */
export function ensureLists(db: DatabaseSync, lists: readonly List[]): void {
  const recorded = new Map(
    db
      .prepare("SELECT name, made FROM lists")
      .all()
      .map((row) => [text(row["name"]), row]),
  );
  for (const name of recorded.keys())
    if (!lists.some((list) => list.name === name)) throw new StoreError("log_newer", { list: name });
  const changed = lists.filter((list) => recorded.get(list.name)?.["made"] !== madeBy(list));
  if (changed.length === 0) return;
  const isNewLog = db.prepare("SELECT 1 FROM events LIMIT 1").get() === undefined;
  db.exec("BEGIN IMMEDIATE");
  try {
    for (const list of changed)
      if (recorded.has(list.name)) keyAnew(db, list, text(recorded.get(list.name)?.["made"]));
      else make(db, list, isNewLog);
    db.exec("COMMIT");
  } catch (cause) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw cause;
  }
}

function madeBy(list: List): string {
  return listStatements(list).join(";\n");
}

function make(db: DatabaseSync, list: List, isNewLog: boolean): void {
  db.exec(madeBy(list));
  db.prepare("INSERT INTO lists(name, made, filled) VALUES (?, ?, ?)").run(list.name, madeBy(list), isNewLog ? 1 : 0);
}

/** Recreated, not altered: the start compares each table's SQL with the recorded SQL. */
function keyAnew(db: DatabaseSync, list: List, before: string): void {
  const [, table = ""] = /^CREATE TABLE "?(\w+)/.exec(before) ?? [];
  for (const [, index] of before.matchAll(/CREATE INDEX "?(\w+)/g)) db.exec(`DROP INDEX "${index}"`);
  db.exec(`ALTER TABLE "${table}" RENAME TO rows_before; ${madeBy(list)}`);
  const names = ["id", ...Object.keys(list.keys).map((key) => `"${key}"`), "row", "sum"];
  const put = db.prepare(
    `INSERT INTO "${list.table}"(${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
  );
  const next = db.prepare(`SELECT id, row, sum FROM rows_before WHERE id > ? ORDER BY id LIMIT ${ROWS_A_TIME}`);
  for (let rows = next.all(""); rows.length > 0; rows = next.all(text(rows.at(-1)?.["id"])))
    for (const { id, row, sum } of rows) put.run(text(id), ...keysOrNone(list, text(row)), text(row), Number(sum));
  db.exec("DROP TABLE rows_before");
  db.prepare("UPDATE lists SET made = ? WHERE name = ?").run(madeBy(list), list.name);
}

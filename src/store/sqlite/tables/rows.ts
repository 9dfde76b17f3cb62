import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import type { List } from "../../../kernel/index.ts";
import { text } from "../../log/encoding.ts";
import type { RowWrite } from "../../models/rows.ts";
import { StoreError } from "../../port.ts";
import type { Statement } from "./statements.ts";

/** Applies changes of lists inside the append's transaction. */
export function createRowWriter(db: DatabaseSync, lists: readonly List[]): (write: RowWrite) => void {
  const writers = new Map(lists.map((list) => [list.name, statementsFor(db, list)]));
  return ({ list, id, columns, row }) => {
    const writer = writers.get(list);
    if (writer === undefined) throw new StoreError("store_failed", { reason: `there is no list of ${list}` });
    if (row === null) {
      writer.remove.run(id);
      return;
    }
    const sum = crc32(row);
    if (writer.replace.run(row, sum, id, ...columns).changes === 0) writer.put.run(id, ...columns, row, sum);
  };
}

function statementsFor(db: DatabaseSync, { table, keys }: List) {
  const columns = Object.keys(keys).map((key) => `"${key}"`);
  const names = ["id", ...columns, "row", "sum"];
  const kept = columns.map((name) => ` AND ${name} IS ?`).join("");
  return {
    /** Most changes keep the keys; this statement then touches no index. */
    replace: db.prepare(`UPDATE "${table}" SET row = ?, sum = ? WHERE id = ?${kept}`),
    put: db.prepare(
      `INSERT OR REPLACE INTO "${table}"(${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    ),
    remove: db.prepare(`DELETE FROM "${table}" WHERE id = ?`),
  };
}

/** Decodes a row. Throws if its checksum is wrong, so that a list never shows a damaged row. */
export function checkedRow<Row>(list: List<Row>, found: Record<string, unknown>): Row {
  if (!isWhole(found))
    throw new StoreError("log_corrupt", { model: list.name, id: String(found["id"]), problem: "row_mismatch" });
  return JSON.parse(text(found["row"]));
}

export function storedIds(sql: (source: string) => Statement, list: List): Set<string> {
  return new Set(
    sql(`SELECT id FROM "${list.table}"`)
      .all()
      .map((row) => String(row["id"])),
  );
}

/** A row with its columns, even when it is damaged; used to look for damage. */
export function storedRow(
  sql: (source: string) => Statement,
  list: List,
  id: string,
): { readonly row: string; readonly columns: readonly unknown[]; readonly isWhole: boolean } | null {
  const found = sql(`SELECT * FROM "${list.table}" WHERE id = ?`).get(id);
  if (found === undefined) return null;
  const columns = Object.keys(list.keys).map((name) => found[name]);
  return { row: String(found["row"]), columns, isWhole: isWhole(found) };
}

function isWhole(found: Record<string, unknown>): boolean {
  return typeof found["row"] === "string" && crc32(found["row"]) === found["sum"];
}

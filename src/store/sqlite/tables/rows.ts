import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import type { List } from "../../../kernel/index.ts";
import { text, uuidOf } from "../../log/encoding.ts";
import { type RowWrite, shownRow } from "../../models/rows.ts";
import { createWrittenRows, type WrittenRows } from "../../models/written-rows.ts";
import { StoreError } from "../../port.ts";
import type { Statement } from "./statements.ts";

/** Applies changes of lists inside the append's transaction. */
export interface RowWriter extends Pick<WrittenRows, "latest" | "forget"> {
  /** Does nothing when the row was last written just so. */
  readonly write: (write: RowWrite) => void;
  /** Writes a row that may have been damaged. */
  readonly rewrite: (write: RowWrite) => void;
}

export function createRowWriter(db: DatabaseSync, lists: readonly List[]): RowWriter {
  const tables = new Map(lists.map((list) => [list.name, statementsFor(db, list)]));
  const written = createWrittenRows();
  const rewrite = (write: RowWrite): void => {
    const { list, id, columns, row } = write;
    const table = tables.get(list);
    if (table === undefined) throw new StoreError("store_failed", { reason: `there is no list of ${list}` });
    written.note(write);
    if (row === null) {
      table.remove.run(id);
      return;
    }
    const sum = crc32(row);
    if (table.replace.run(row, sum, id, ...columns).changes === 0) table.put.run(id, ...columns, row, sum);
  };
  return {
    write: (write) => {
      if (!written.isSame(write)) rewrite(write);
    },
    rewrite,
    latest: written.latest,
    forget: written.forget,
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
  const last = found["last"];
  return shownRow(list, text(found["row"]), last instanceof Uint8Array ? uuidOf(last) : null);
}

/** Selects rows for `checkedRow`. */
export function selectRows({ table, head }: List): string {
  if (head === null) return `SELECT id, row, sum FROM "${table}"`;
  const last = `SELECT e.id FROM streams s JOIN events e ON e.stream = s.no WHERE s.name = '${head.kind}/' || "${table}".id ORDER BY e.version DESC LIMIT 1`;
  return `SELECT id, row, sum, (${last}) AS last FROM "${table}"`;
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

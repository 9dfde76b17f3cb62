import { crc32 } from "node:zlib";
import type { List } from "../../../kernel/index.ts";
import type { StoredRow } from "../../models/derived-reads.ts";
import { type Column, isThere, type RowWrite, shownRow, type WholeRow } from "../../models/rows.ts";
import { StoreError } from "../../port.ts";
import { bigintArray, byteaArray, namesArray } from "../connection/arrays.ts";
import type { Given, Row } from "../connection/connection.ts";
import { utf8 } from "../connection/decode.ts";
import type { Sql } from "../reads/event-pages.ts";

/** The text of a statement. Values go through `param`, which returns their placeholders. */
export type Put = (param: (value: Given) => string) => string;

/** Changes of one list, at most one for each id: rows to delete, and rows to insert or update. */
export function changeRows(list: List, writes: readonly RowWrite[]): readonly Put[] {
  const gone = writes.filter(({ row }) => row === null).map(({ id }) => id);
  const there = writes.filter(isThere);
  return [
    ...(gone.length === 0 ? [] : [removeRows(list, gone)]),
    ...(there.length === 0 ? [] : [putRows(list, there)]),
  ];
}

export function removeRows({ table }: List, ids: readonly string[]): Put {
  return (param) => `DELETE FROM "${table}" WHERE id = ANY(${param(namesArray(ids))}::bytea[])`;
}

function putRows(list: List, rows: readonly WholeRow[]): Put {
  const names = columnNames(list);
  const changes = names.slice(1).map((name) => `${name} = excluded.${name}`);
  return (param) => {
    const arrays = arraysOf(
      list,
      rows.map(({ id, columns, row }) => ({ id: Buffer.from(id), columns, row: Buffer.from(row), sum: crc32(row) })),
    ).map(({ type, array }) => `${param(array)}::${type}[]`);
    return `INSERT INTO "${list.table}"(${names.join(", ")}) SELECT * FROM unnest(${arrays.join(", ")})
      ON CONFLICT (id) DO UPDATE SET ${changes.join(", ")}`;
  };
}

/** The columns of a list's table. */
export function columnNames({ keys }: List): readonly string[] {
  return ["id", ...Object.keys(keys).map((key) => `"${key}"`), "row", "sum"];
}

/** Rows as arrays, one for each column, in the order of `columnNames`. */
export function arraysOf(
  { keys }: List,
  rows: readonly {
    readonly id: Uint8Array;
    readonly columns: readonly Column[];
    readonly row: Uint8Array;
    readonly sum: number;
  }[],
): readonly { readonly type: "bytea" | "bigint"; readonly array: Buffer }[] {
  const bytea = (elements: readonly (Uint8Array | null)[]) => ({ type: "bytea" as const, array: byteaArray(elements) });
  const bigint = (elements: readonly number[]) => ({ type: "bigint" as const, array: bigintArray(elements) });
  return [
    bytea(rows.map(({ id }) => id)),
    ...Object.values(keys).map(({ kind }, at) => {
      const values = rows.map(({ columns }) => columns[at] ?? null);
      if (kind === "flag") return bigint(values.map(Number));
      return bytea(values.map((value) => (value === null ? null : Buffer.from(String(value)))));
    }),
    bytea(rows.map(({ row }) => row)),
    bigint(rows.map(({ sum }) => sum)),
  ];
}

/** Decodes a row. Throws if its checksum is wrong, so that a list never shows a damaged row. */
export function checkedRow<T>(list: List<T>, found: Row): T {
  if (!isWhole(found))
    throw new StoreError("log_corrupt", { model: list.name, id: nameOf(found["id"]), problem: "row_mismatch" });
  return shownRow(list, utf8(found["row"]), typeof found["last"] === "string" ? found["last"] : null);
}

/** Selects rows for `checkedRow`. */
export function selectRows({ table, head }: List): string {
  if (head === null) return `SELECT id, row, sum FROM "${table}"`;
  const last = `SELECT e.id FROM streams s JOIN events e ON e.stream = s.no WHERE s.name = '${head.kind}/'::bytea || "${table}".id ORDER BY e.version DESC LIMIT 1`;
  return `SELECT id, row, sum, (${last}) AS last FROM "${table}"`;
}

export async function storedIds(sql: Sql, { table }: List): Promise<Set<string>> {
  return new Set((await sql(`SELECT id FROM "${table}"`)).map((row) => nameOf(row["id"])));
}

/** A row with its columns, even when it is damaged; used to look for damage. */
export async function storedRow(sql: Sql, { table, keys }: List, id: string): Promise<StoredRow | null> {
  const [found] = await sql(`SELECT * FROM "${table}" WHERE id = $1`, Buffer.from(id));
  if (found === undefined) return null;
  const columns = Object.keys(keys).map((name) => {
    const value = found[name];
    return value instanceof Uint8Array ? utf8(value) : value;
  });
  return { row: nameOf(found["row"]), columns, isWhole: isWhole(found) };
}

function isWhole({ row, sum }: Row): boolean {
  return row instanceof Uint8Array && crc32(row) === sum;
}

/** A column as text, whatever it holds. */
export function nameOf(value: unknown): string {
  return value instanceof Uint8Array ? utf8(value) : String(value);
}

import { crc32 } from "node:zlib";
import type { Model } from "../../kernel/index.ts";
import { StoreError } from "../port.ts";
import { MODELS, type WholeRow } from "../rows.ts";
import { bigintArray, byteaArray } from "./arrays.ts";
import type { Given, Row } from "./connection.ts";
import { utf8 } from "./decode.ts";
import type { Sql } from "./event-pages.ts";
import { TABLES } from "./schema.ts";

/** Text of a statement; its values go through `param`, which names their place. */
export type Put = (param: (value: Given) => string) => string;

/** Writes rows of one read model, new ones and changed ones. */
export function putRows(model: Model, rows: readonly WholeRow[]): Put {
  const { table, columns } = MODELS[model];
  const names = ["id", ...columns, "row", "sum"];
  const changes = names.slice(1).map((name) => `${name} = excluded.${name}`);
  return (param) => {
    const bytesOf = (values: readonly (string | number | null)[]): string =>
      `${param(byteaArray(values.map((value) => (value === null ? null : Buffer.from(String(value))))))}::bytea[]`;
    const numbersOf = (values: readonly unknown[]): string => `${param(bigintArray(values.map(Number)))}::bigint[]`;
    const arrays = [
      bytesOf(rows.map(({ id }) => id)),
      ...columns.map((name, at) => {
        const values = rows.map((row) => row.columns[at] ?? null);
        return isBytes(table, name) ? bytesOf(values) : numbersOf(values);
      }),
      bytesOf(rows.map(({ row }) => row)),
      numbersOf(rows.map(({ row }) => crc32(row))),
    ];
    return `INSERT INTO ${table}(${names.join(", ")}) SELECT * FROM unnest(${arrays.join(", ")})
      ON CONFLICT (id) DO UPDATE SET ${changes.join(", ")}`;
  };
}

function isBytes(table: string, column: string): boolean {
  return TABLES[table]?.columns[column]?.startsWith("bytea") === true;
}

/** A row as it was written. One that changed under us is named: lists never show it. */
export function checkedRow(model: Model, found: Row): string {
  if (!isWhole(found)) throw new StoreError("log_corrupt", { model, id: nameOf(found["id"]), problem: "row_mismatch" });
  return utf8(found["row"]);
}

export async function storedIds(sql: Sql, model: Model): Promise<Set<string>> {
  return new Set((await sql(`SELECT id FROM ${MODELS[model].table}`)).map((row) => nameOf(row["id"])));
}

/** A row with the columns beside it, also a damaged one: for those who look for damage. */
export async function storedRow(
  sql: Sql,
  model: Model,
  id: string,
): Promise<{ readonly row: string; readonly columns: readonly unknown[]; readonly isWhole: boolean } | null> {
  const { table, columns } = MODELS[model];
  const [found] = await sql(`SELECT * FROM ${table} WHERE id = $1`, Buffer.from(id));
  if (found === undefined) return null;
  const values = columns.map((name) => {
    const value = found[name];
    return value instanceof Uint8Array ? utf8(value) : value;
  });
  return { row: nameOf(found["row"]), columns: values, isWhole: isWhole(found) };
}

export function isWhole(found: Row): boolean {
  const { row, sum } = found;
  return row instanceof Uint8Array && crc32(row) === sum;
}

function nameOf(value: unknown): string {
  return value instanceof Uint8Array ? utf8(value) : String(value);
}

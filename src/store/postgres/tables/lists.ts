import type { List } from "../../../kernel/index.ts";
import { bytes, number } from "../../log/encoding.ts";
import { keysOrNone } from "../../models/rows.ts";
import { StoreError } from "../../port.ts";
import type { Connection } from "../connection/connection.ts";
import { utf8 } from "../connection/decode.ts";
import { arraysOf, columnNames } from "./rows.ts";

const ROWS_A_TIME = 500;

/** A list as recorded in the log's `lists` table. */
export interface RecordedList {
  readonly name: string;
  readonly made: string;
  readonly table: string;
  /** PostgreSQL's type names by column. */
  readonly columns: ReadonlyMap<string, string>;
}

/** The SQL that creates a list's table, derived from its definition. */
function madeBy(list: List): string {
  const keys = Object.entries(list.keys);
  const columns = keys.map(([key, { kind }]) => `"${key}" ${kind === "flag" ? "smallint NOT NULL" : "bytea"}`);
  const own = ["id bytea NOT NULL", ...columns, "row bytea NOT NULL", "sum bigint NOT NULL"];
  const indexes = keys
    .filter(([, { indexed }]) => indexed)
    .map(([key, { kind }]) => {
      const name = `"${list.table}_${key}"`;
      if (kind === "text") return `CREATE INDEX ${name} ON "${list.table}"("${key}", id)`;
      return `CREATE INDEX ${name} ON "${list.table}"(id) WHERE "${key}" = 1`;
    });
  // Rows that change often leave free space in their page, so that an update touches no index and no other page.
  const fillPercent = list.isHot ? 50 : 100;
  const table = `CREATE TABLE "${list.table}"(${own.join(", ")}, PRIMARY KEY(id)) WITH (fillfactor = ${fillPercent})`;
  return [table, ...indexes].join(";\n");
}

/** Parses the SQL that `madeBy` wrote. */
export function recordedList(name: string, made: string): RecordedList {
  const [, table = "", members = ""] = /^CREATE TABLE "?(\w+)"?\((.*), PRIMARY KEY/.exec(made) ?? [];
  const columns = members.split(", ").map((member): readonly [string, string] => {
    const [, column = "", type = ""] = /^"?(\w+)"? (\w+)/.exec(member) ?? [];
    return [column, type];
  });
  return { name, made, table, columns: new Map(columns) };
}

export async function recordedLists({ query }: Connection): Promise<readonly RecordedList[]> {
  const rows = await query("SELECT name, made FROM lists");
  return rows.map((row) => recordedList(String(row["name"]), String(row["made"])));
}

/**
 * Creates the tables of the lists as defined now. A new list is empty, and marked as not filled if the log has events.
 * A list with changed keys is recreated from its rows. Call inside a transaction.
 */
export async function ensureLists(connection: Connection, lists: readonly List[]): Promise<void> {
  const { query } = connection;
  const recorded = new Map((await recordedLists(connection)).map((list) => [list.name, list]));
  for (const name of recorded.keys())
    if (!lists.some((list) => list.name === name)) throw new StoreError("log_newer", { list: name });
  const changed = lists.filter((list) => recorded.get(list.name)?.made !== madeBy(list));
  if (changed.length === 0) return;
  const [head] = await query("SELECT seq FROM head FOR UPDATE");
  for (const list of changed) {
    const before = recorded.get(list.name);
    if (before === undefined) await make(connection, list, head?.["seq"] === 0);
    else await keyAnew(connection, list, before);
  }
}

async function make({ query, script }: Connection, list: List, isNewLog: boolean): Promise<void> {
  const [taken] = await query("SELECT to_regclass($1)::text AS found", `"${list.table}"`);
  if (taken?.["found"] != null)
    throw new StoreError("log_corrupt", { problem: `there is a table ${list.table} that is not the log's` });
  await script(madeBy(list));
  await query("INSERT INTO lists(name, made, filled) VALUES ($1, $2, $3)", list.name, madeBy(list), isNewLog ? 1 : 0);
}

/** In batches, so that no statement takes long. */
async function keyAnew({ query, script }: Connection, list: List, before: RecordedList): Promise<void> {
  const indexes = [...before.made.matchAll(/CREATE INDEX "?(\w+)/g)].map(
    ([, index]) => `DROP INDEX IF EXISTS "${index}"`,
  );
  await script(
    [
      ...indexes,
      `ALTER TABLE "${before.table}" RENAME TO rows_before`,
      // Frees the name for the new table's primary key.
      `ALTER INDEX IF EXISTS "${before.table}_pkey" RENAME TO rows_before_pkey`,
      madeBy(list),
    ].join(";\n"),
  );
  for (let after: Uint8Array = new Uint8Array(0); ; ) {
    const rows = await query(
      "SELECT id, row, sum FROM rows_before WHERE id > $1 ORDER BY id LIMIT $2",
      after,
      ROWS_A_TIME,
    );
    const last = rows.at(-1);
    if (last === undefined) break;
    const given = arraysOf(
      list,
      rows.map((row) => ({
        id: bytes(row["id"]),
        columns: keysOrNone(list, utf8(row["row"])),
        row: bytes(row["row"]),
        sum: number(row["sum"]),
      })),
    );
    const arrays = given.map(({ type }, at) => `$${at + 1}::${type}[]`);
    await query(
      `INSERT INTO "${list.table}"(${columnNames(list).join(", ")}) SELECT * FROM unnest(${arrays.join(", ")})`,
      ...given.map(({ array }) => array),
    );
    after = bytes(last["id"]);
  }
  await query("DROP TABLE rows_before");
  await query("UPDATE lists SET made = $1 WHERE name = $2", madeBy(list), list.name);
}

import type { List } from "../../../kernel/index.ts";
import { number } from "../../log/encoding.ts";
import { StoreError } from "../../port.ts";
import type { PostgresAddress } from "../connection/address.ts";
import type { Connection } from "../connection/connection.ts";
import { inTransaction } from "../connection/transaction.ts";
import { ensureLists, recordedList, recordedLists } from "./lists.ts";
import { listsBefore } from "./lists-before-4.ts";
import {
  APPLICATION,
  createStatements,
  nameAt,
  plainType,
  SCHEMA_VERSION,
  sinceVersion,
  TABLES,
  upgradeStatements,
} from "./schema.ts";

const SERVER_VERSION_MIN = 140_000;

/** Checks first that the server can keep our promises, and that the schema is ours. */
export async function prepareSchema(connection: Connection, address: PostgresAddress): Promise<void> {
  await checkServer(connection);
  await oneAtATime(connection, address, async () => {
    const found = await tablesIn(connection, address.schema);
    if (found === null || found.size === 0) await create(connection, address.schema, found === null);
    else await checkTables(connection, found);
  });
}

/** Creates the tables of the lists as defined now. Only the daemon that may write the log calls it. */
export function prepareLists(connection: Connection, address: PostgresAddress, lists: readonly List[]): Promise<void> {
  return oneAtATime(connection, address, () => ensureLists(connection, lists));
}

/** If two daemons start at once, the second waits and finds the work of the first. */
function oneAtATime(connection: Connection, address: PostgresAddress, work: () => Promise<void>): Promise<void> {
  return inTransaction(connection, async () => {
    await connection.query("SELECT pg_advisory_xact_lock(hashtext($1))", `nomos schema ${address.schema}`);
    await work();
  });
}

async function checkServer(connection: Connection): Promise<void> {
  const [found] = await connection.query(
    "SELECT current_setting('server_version_num')::integer AS version, current_setting('server_version') AS named, current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages",
  );
  const unsuitable = (problem: string, details: StoreError["details"]): never => {
    throw new StoreError("store_unsuitable", { problem, ...details });
  };
  if (Number(found?.["version"]) < SERVER_VERSION_MIN)
    unsuitable("the server is too old", { found: String(found?.["named"]), needed: SERVER_VERSION_MIN / 10_000 });
  if (found?.["encoding"] !== "UTF8")
    unsuitable("the database is not in UTF-8", { encoding: String(found?.["encoding"]) });
  if (found?.["fsync"] !== "on" || found?.["pages"] !== "on")
    unsuitable("the server does not keep what it has acknowledged: fsync and full_page_writes must be on", {});
  if (connection.isReadOnly)
    throw new StoreError("store_read_only", { reason: "this server or this role is read-only" });
}

type Columns = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Tables and their columns; null when the schema does not exist. */
async function tablesIn(connection: Connection, schema: string): Promise<Columns | null> {
  const [known] = await connection.query("SELECT to_regnamespace($1)::text AS schema", `"${schema}"`);
  if (known?.["schema"] == null) return null;
  const rows = await connection.query(
    `SELECT c.relname AS "table", a.attname AS "column", format_type(a.atttypid, a.atttypmod) AS type
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = to_regnamespace($1) AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.attnum > 0 AND NOT a.attisdropped`,
    `"${schema}"`,
  );
  const tables = new Map<string, Map<string, string>>();
  for (const { table, column, type } of rows) {
    const columns = tables.get(String(table)) ?? new Map<string, string>();
    tables.set(String(table), columns.set(String(column), String(type)));
  }
  return tables;
}

async function create(connection: Connection, schema: string, isNew: boolean): Promise<void> {
  if (isNew) await connection.query(`CREATE SCHEMA "${schema}"`);
  await connection.script(createStatements().join(";\n"));
}

async function checkTables(connection: Connection, found: Columns): Promise<void> {
  const corrupt = (problem: string): never => {
    throw new StoreError("log_corrupt", { problem });
  };
  if (!found.has("meta")) corrupt("the schema is not a log of Nomos");
  const [meta] = await connection.query("SELECT application, version FROM meta");
  if (meta?.["application"] !== APPLICATION) corrupt("the schema is not a log of Nomos");
  const version = Number(meta?.["version"]);
  if (version > SCHEMA_VERSION) throw new StoreError("log_newer", { found: version, known: SCHEMA_VERSION });
  const isWhole = Object.entries(TABLES).every(([name, { columns }]) => {
    if (version < sinceVersion(name)) return !found.has(name);
    const there = found.get(name);
    const wanted = Object.entries(columns)
      .filter(([column]) => version >= sinceVersion(name, column) || there?.has(column))
      .map(([column, type]) => [nameAt(version, name, column), plainType(type)] as const);
    return isSame(there, new Map(wanted));
  });
  if (!isWhole) corrupt("the tables are not as they were created");
  const lists =
    version < 4 ? listsBefore(version).map((list) => recordedList(...list)) : await recordedLists(connection);
  const changed = lists.find(({ table, columns }) => !isSame(found.get(table), columns));
  if (changed !== undefined) corrupt(`the list of ${changed.name} is not as it was created`);
  const [rules] = await connection.query(
    `SELECT count(*)::integer AS found FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND
     (EXISTS (SELECT 1 FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal) OR
      EXISTS (SELECT 1 FROM pg_rewrite r WHERE r.ev_class = c.oid AND c.relkind <> 'v') OR c.relrowsecurity)`,
  );
  if (rules?.["found"] !== 0) corrupt("a trigger, a rule or a row policy would change what is written");
  if (version < SCHEMA_VERSION) await connection.script(upgradeStatements(version).join(";\n"));
  if (version < 4) await dropOpenQuestions(connection);
}

function isSame(found: ReadonlyMap<string, string> | undefined, wanted: ReadonlyMap<string, string>): boolean {
  return found?.size === wanted.size && [...wanted].every(([column, type]) => found.get(column) === type);
}

const STREAMS_A_TIME = 1000;

/**
 * A fold now stores when an open question was asked and whether an open effect was allowed. Older fold snapshots do
 * not, so they are deleted. In batches, so that no statement takes long.
 */
async function dropOpenQuestions({ query }: Connection): Promise<void> {
  const [head] = await query("SELECT streams FROM head");
  const last = number(head?.["streams"]);
  for (let after = 0; after < last; after += STREAMS_A_TIME)
    await query(
      `DELETE FROM snapshots WHERE stream > $1 AND stream <= $2
       AND (position('"approvals":{"'::bytea IN state) > 0 OR position('"effects":{"'::bytea IN state) > 0)`,
      after,
      after + STREAMS_A_TIME,
    );
}

import { StoreError } from "../port.ts";
import type { PostgresAddress } from "./address.ts";
import type { Connection } from "./connection.ts";
import {
  APPLICATION,
  createStatements,
  plainType,
  SCHEMA_VERSION,
  sinceVersion,
  TABLES,
  upgradeStatements,
} from "./schema.ts";
import { inTransaction } from "./transaction.ts";

const SERVER_VERSION_MIN = 140_000;

/** Makes sure, before anything else, that this server can keep what we promise, and that the schema is ours. */
export async function prepareSchema(connection: Connection, address: PostgresAddress): Promise<void> {
  await checkServer(connection);
  await inTransaction(connection, async () => {
    // Two that start at the same time: the second waits, and finds what the first has made.
    await connection.query("SELECT pg_advisory_xact_lock(hashtext($1))", `nomos schema ${address.schema}`);
    const found = await tablesIn(connection, address.schema);
    if (found === null || found.size === 0) await create(connection, address.schema, found === null);
    else await checkTables(connection, found);
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
    throw new StoreError("store_read_only", { reason: "this server, or this role, answers only reads" });
}

type Columns = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Tables and their columns; null when there is no such schema. */
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
    const wanted = Object.entries(columns).filter(
      ([column]) => version >= sinceVersion(name, column) || there?.has(column),
    );
    return there?.size === wanted.length && wanted.every(([column, type]) => there.get(column) === plainType(type));
  });
  if (!isWhole) corrupt("the tables are not as they were created");
  const [rules] = await connection.query(
    `SELECT count(*)::integer AS found FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND
     (EXISTS (SELECT 1 FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal) OR
      EXISTS (SELECT 1 FROM pg_rewrite r WHERE r.ev_class = c.oid AND c.relkind <> 'v') OR c.relrowsecurity)`,
  );
  if (rules?.["found"] !== 0) corrupt("a trigger, a rule or a row policy would change what is written");
  if (version < SCHEMA_VERSION) await connection.script(upgradeStatements(version).join(";\n"));
}

import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { StoreError } from "../../port.ts";
import { LISTS, recordedStatements } from "./lists.ts";
import { listsBefore } from "./lists-before-4.ts";

/** Raised with every change of the tables. A file of a higher version is refused. */
export const SCHEMA_VERSION = 5;

/** "Nomo", in the file's header: the database of another program is never taken for a log. */
const APPLICATION_ID = 0x4e6f6d6f;

/** `sum` is the CRC-32 of the column before it, because derived data is not covered by the hash chain. */
const TABLES = `
CREATE TABLE streams(no INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE events(
  seq INTEGER PRIMARY KEY, stream INTEGER NOT NULL, version INTEGER NOT NULL, id BLOB NOT NULL, type TEXT NOT NULL,
  prev BLOB NOT NULL, header BLOB NOT NULL, hash BLOB NOT NULL, salt BLOB, data BLOB) STRICT;
CREATE UNIQUE INDEX events_place ON events(stream, version);
CREATE UNIQUE INDEX events_id ON events(id);
CREATE TABLE event_blobs(blob TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY(blob, seq)) STRICT, WITHOUT ROWID;
CREATE TABLE doomed_blobs(blob TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE calls(key BLOB PRIMARY KEY, request BLOB NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE snapshots(stream INTEGER NOT NULL, version INTEGER NOT NULL, state BLOB NOT NULL, sum INTEGER NOT NULL, PRIMARY KEY(stream, version)) STRICT, WITHOUT ROWID;
CREATE TABLE fence(only INTEGER PRIMARY KEY CHECK (only = 1), value INTEGER NOT NULL) STRICT;
INSERT INTO fence VALUES (1, 0);
`;

/**
 * Since version 2: the usage of each stream. Stream 0 is the whole log. `account` is the root that a fork counts for,
 * and the root's `family_bytes` include all its forks. A blob counts once, for the stream that stored it first.
 */
export const USAGE_TABLES = `
CREATE TABLE usage(stream INTEGER PRIMARY KEY, account INTEGER NOT NULL, events INTEGER NOT NULL, bytes INTEGER NOT NULL, blob_bytes INTEGER NOT NULL, family_bytes INTEGER NOT NULL) STRICT;
CREATE TABLE blob_sizes(blob TEXT PRIMARY KEY, stream INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO usage VALUES (0, 0, 0, 0, 0, 0);
`;

/** Since version 4: the cursor of each follower. */
export const CURSORS = `
CREATE TABLE cursors(name TEXT PRIMARY KEY, seq INTEGER NOT NULL, id TEXT NOT NULL) STRICT, WITHOUT ROWID;
`;

/**
 * How long a connection waits for a lock. Only another process, or a checkpoint that empties the write-ahead log, can
 * hold one.
 */
const BUSY_TIMEOUT_MS = 5000;
/** Each connection has its own page cache. Evicted pages stay in the operating system's cache, which all share. */
const WRITER_CACHE_KIB = 16 * 1024;
const READER_CACHE_KIB = 8 * 1024;
/** More than any fold needs. SQLite then rejects a damaged length before it allocates memory. */
const ROW_BYTES_MAX = 128 * 1024 * 1024;

/**
 * The one write connection. `synchronous=FULL` flushes the write-ahead log at every commit. `secure_delete` is always
 * on: data that moves within the file before an erasure would otherwise leave copies.
 */
export function openForWriting(path: string): DatabaseSync {
  return open(path, false, (db) => {
    // Takes effect only in an empty file and only as the first statement; another file must not be changed.
    if (isEmpty(db)) db.exec("PRAGMA auto_vacuum=INCREMENTAL");
    db.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0; PRAGMA secure_delete=ON");
    db.exec(`PRAGMA cache_size=-${WRITER_CACHE_KIB}; PRAGMA temp_store=MEMORY; PRAGMA foreign_keys=OFF`);
    if (versionOf(db) === 0) create(db);
  });
}

/** Without memory mapping, where an unreadable page would kill the process with a signal instead of an error. */
export function openForReading(path: string): DatabaseSync {
  return open(path, true, (db) => {
    db.exec(`PRAGMA query_only=ON; PRAGMA cache_size=-${READER_CACHE_KIB}`);
    if (versionOf(db) === 0) throw new StoreError("log_corrupt", { path, problem: "there is no log in this file" });
  });
}

/** A file that nobody writes, such as a backup's: SQLite makes no lock and no side file, also in a read-only folder. */
export function openFrozen(path: string): DatabaseSync {
  const url = pathToFileURL(path);
  url.search = "?immutable=1";
  return open(path, true, (db) => db.exec("PRAGMA query_only=ON"), url);
}

function open(
  path: string,
  readOnly: boolean,
  prepare: (db: DatabaseSync) => void,
  from: string | URL = path,
): DatabaseSync {
  let db: DatabaseSync | null = null;
  try {
    db = new DatabaseSync(from, { readOnly, timeout: BUSY_TIMEOUT_MS, limits: { length: ROW_BYTES_MAX } });
    db.exec("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON");
    prepare(db);
    return db;
  } catch (cause) {
    db?.close();
    throw translate(cause, { path });
  }
}

function isEmpty(db: DatabaseSync): boolean {
  return Number(db.prepare("PRAGMA page_count").get()?.["page_count"]) === 0;
}

function create(db: DatabaseSync): void {
  db.exec(
    `BEGIN IMMEDIATE; ${TABLES} ${USAGE_TABLES} ${LISTS} ${CURSORS} PRAGMA application_id=${APPLICATION_ID}; PRAGMA user_version=${SCHEMA_VERSION}; COMMIT`,
  );
}

export function versionOf(db: DatabaseSync): number {
  const pragma = (name: string) => Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);
  const tables = Number(db.prepare("SELECT count(*) AS tables FROM sqlite_schema").get()?.["tables"]);
  const found = pragma("user_version");
  if (tables === 0 && found === 0) return 0;
  if (pragma("application_id") !== APPLICATION_ID || found < 1)
    throw new StoreError("log_corrupt", { problem: "the file is not a log of Nomos" });
  if (found > SCHEMA_VERSION) throw new StoreError("log_newer", { found, known: SCHEMA_VERSION });
  if (!isOurs(db, found)) throw new StoreError("log_corrupt", { problem: "the tables are not as they were created" });
  return found;
}

/**
 * Compares the stored SQL of all tables with ours. If it differs, or there is an extra trigger, nothing can be trusted.
 */
function isOurs(db: DatabaseSync, version: number): boolean {
  const found = db
    .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")
    .all()
    .map((row) => row["sql"]);
  const own = statementsOf(`${TABLES}${version < 2 ? "" : USAGE_TABLES}${version < 4 ? "" : LISTS + CURSORS}`);
  if (!own.every((statement) => found.includes(statement))) return false;
  const lists = version < 4 ? listsBefore(version).flatMap(([, made]) => statementsOf(made)) : recordedStatements(db);
  const created = [...own, ...lists];
  return found.length === created.length && created.every((statement) => found.includes(statement));
}

function statementsOf(script: string): readonly string[] {
  return script
    .split(";")
    .map((statement) => statement.trim())
    .filter((statement) => statement.startsWith("CREATE"));
}

/**
 * Whether a failed write certainly changed nothing, so that the writer may continue. A full disk fails before the
 * commit frame is written; a foreign lock fails before the first frame. After any other failure the state on disk is
 * unknown until a restart.
 */
export function leavesNothing(error: StoreError): boolean {
  return error.code === "disk_full" || error.code === "overloaded";
}

/** Translates SQLite's result codes into `StoreError`s. */
export function translate(cause: unknown, details: StoreError["details"] = {}): StoreError {
  if (cause instanceof StoreError) return cause;
  const nodeCode = cause instanceof Error && "code" in cause ? cause.code : null;
  if (nodeCode === "ERR_INVALID_STATE") return new StoreError("store_closed", details, cause);
  const code = sqliteCode(cause);
  const primary = code === null ? null : code & 0xff;
  const found = { ...details, sqlite: code, reason: cause instanceof Error ? cause.message : String(cause) };
  if (primary === SQLITE.full) return new StoreError("disk_full", found, cause);
  if (primary === SQLITE.busy) return new StoreError("overloaded", found, cause);
  if (primary === SQLITE.readOnly || primary === SQLITE.cantOpen)
    return new StoreError("store_read_only", found, cause);
  // A number or length that we never write.
  if (nodeCode === "ERR_OUT_OF_RANGE" || primary === SQLITE.tooBig) return new StoreError("log_corrupt", found, cause);
  if (primary === SQLITE.corrupt || primary === SQLITE.notADatabase) return new StoreError("log_corrupt", found, cause);
  return new StoreError("store_failed", found, cause);
}

/** While reading, only a damaged length can exhaust the memory. */
export function translateRead(cause: unknown): StoreError {
  if (sqliteCode(cause) !== SQLITE.noMemory) return translate(cause);
  return new StoreError("log_corrupt", { sqlite: SQLITE.noMemory, reason: String(cause) }, cause);
}

export function isConstraint(cause: unknown): boolean {
  return ((sqliteCode(cause) ?? 0) & 0xff) === SQLITE.constraint;
}

export function isBusy(cause: unknown): boolean {
  return ((sqliteCode(cause) ?? 0) & 0xff) === SQLITE.busy;
}

function sqliteCode(cause: unknown): number | null {
  if (!(cause instanceof Error) || !("errcode" in cause)) return null;
  return typeof cause.errcode === "number" ? cause.errcode : null;
}

const SQLITE = {
  busy: 5,
  noMemory: 7,
  readOnly: 8,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  tooBig: 18,
  constraint: 19,
  notADatabase: 26,
} as const;

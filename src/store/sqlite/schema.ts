import { DatabaseSync } from "node:sqlite";
import type { Model } from "../../kernel/index.ts";
import { StoreError } from "../port.ts";

/** Raised with every change of the tables; a file of a higher version is refused, never guessed at. */
export const SCHEMA_VERSION = 1;

/** Where each read model lies. */
export const TABLE_OF: { readonly [M in Model]: string } = {
  session: "sessions",
  approval: "approvals",
  agent: "agents",
  token: "tokens",
  system: "system",
};

const TABLES = `
CREATE TABLE streams(no INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE events(
  seq INTEGER PRIMARY KEY, stream INTEGER NOT NULL, version INTEGER NOT NULL, id BLOB NOT NULL, type TEXT NOT NULL,
  prev BLOB NOT NULL, header BLOB NOT NULL, hash BLOB NOT NULL, salt BLOB, data BLOB) STRICT;
CREATE UNIQUE INDEX events_place ON events(stream, version);
CREATE UNIQUE INDEX events_id ON events(id);
CREATE TABLE event_blobs(blob TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY(blob, seq)) STRICT, WITHOUT ROWID;
CREATE TABLE calls(key BLOB PRIMARY KEY, request BLOB NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE snapshots(stream INTEGER NOT NULL, version INTEGER NOT NULL, state BLOB NOT NULL, PRIMARY KEY(stream, version)) STRICT, WITHOUT ROWID;
CREATE TABLE sessions(id TEXT PRIMARY KEY, name TEXT NOT NULL, alive INTEGER NOT NULL, shown INTEGER NOT NULL, active INTEGER NOT NULL, row TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_name ON sessions(name);
CREATE INDEX sessions_alive ON sessions(alive, id);
CREATE INDEX sessions_active ON sessions(id) WHERE active = 1;
CREATE TABLE approvals(id TEXT PRIMARY KEY, session TEXT NOT NULL, status TEXT NOT NULL, row TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX approvals_status ON approvals(status, id);
CREATE TABLE agents(id TEXT PRIMARY KEY, row TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE tokens(id TEXT PRIMARY KEY, secret TEXT, row TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_secret ON tokens(secret);
CREATE TABLE system(id TEXT PRIMARY KEY, row TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE fence(only INTEGER PRIMARY KEY CHECK (only = 1), value INTEGER NOT NULL) STRICT;
INSERT INTO fence VALUES (1, 0);
`;

/** The one connection that writes. Every commit is flushed: `synchronous=FULL` syncs the write-ahead log each time. */
export function openForWriting(path: string): DatabaseSync {
  const db = open(path, false);
  db.exec(
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0; PRAGMA cache_size=-65536; PRAGMA temp_store=MEMORY;",
  );
  db.exec("PRAGMA foreign_keys=OFF; PRAGMA trusted_schema=OFF;");
  migrate(db);
  return db;
}

export function openForReading(path: string): DatabaseSync {
  const db = open(path, true);
  db.exec("PRAGMA query_only=ON; PRAGMA cache_size=-32768; PRAGMA mmap_size=268435456; PRAGMA trusted_schema=OFF;");
  refuseNewer(db);
  return db;
}

function open(path: string, readOnly: boolean): DatabaseSync {
  try {
    const db = new DatabaseSync(path, { readOnly, timeout: 5000 });
    db.prepare("SELECT count(*) FROM sqlite_schema").get();
    return db;
  } catch (cause) {
    throw translate(cause, { path });
  }
}

function migrate(db: DatabaseSync): void {
  if (refuseNewer(db) === SCHEMA_VERSION) return;
  db.exec(`BEGIN IMMEDIATE; ${TABLES} PRAGMA user_version=${SCHEMA_VERSION}; COMMIT;`);
}

function refuseNewer(db: DatabaseSync): number {
  const found = Number(db.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
  if (found > SCHEMA_VERSION) throw new StoreError("log_newer", { found, known: SCHEMA_VERSION });
  return found;
}

/** SQLite's result codes in our words. A full disk leaves everything as it was; any other failure to write is fatal. */
export function translate(cause: unknown, details: StoreError["details"] = {}): StoreError {
  if (cause instanceof StoreError) return cause;
  const code = sqliteCode(cause);
  const primary = code === null ? null : code & 0xff;
  const found = { ...details, sqlite: code, reason: cause instanceof Error ? cause.message : String(cause) };
  if (primary === SQLITE.full) return new StoreError("disk_full", found, cause);
  if (primary === SQLITE.readOnly || primary === SQLITE.cantOpen)
    return new StoreError("store_read_only", found, cause);
  if (primary === SQLITE.corrupt || primary === SQLITE.notADatabase) return new StoreError("log_corrupt", found, cause);
  return new StoreError("store_failed", found, cause);
}

export function isConstraint(cause: unknown): boolean {
  return ((sqliteCode(cause) ?? 0) & 0xff) === SQLITE.constraint;
}

function sqliteCode(cause: unknown): number | null {
  if (!(cause instanceof Error) || !("errcode" in cause)) return null;
  return typeof cause.errcode === "number" ? cause.errcode : null;
}

const SQLITE = {
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  constraint: 19,
  notADatabase: 26,
} as const;

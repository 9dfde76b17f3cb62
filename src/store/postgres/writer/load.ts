import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { blobPath } from "../../files/blobs.ts";
import { isErrno, translated } from "../../files/durable-file.ts";
import { bytes, number, text, uuidOf } from "../../log/encoding.ts";
import { type Progress, StoreError } from "../../port.ts";
import { type LogFile, openLogFile } from "../../sqlite/opening/log-file.ts";
import { versionOf } from "../../sqlite/tables/schema.ts";
import { soundSnapshots } from "../../sqlite/tables/upgrade.ts";
import { parseAddress } from "../connection/address.ts";
import { bigintArray, byteaArray, namesArray, uuidArray } from "../connection/arrays.ts";
import { type Connection, connect } from "../connection/connection.ts";
import { LIMITS } from "../connection/open-database.ts";
import { inTransaction } from "../connection/transaction.ts";
import { prepareSchema } from "../tables/migrate.ts";

const PAGE_ROWS = 256;
const PAGE_BYTES = 4 * 1024 * 1024;

/**
 * Loads a whole log from a copy's file into a schema without a log, in one transaction. Derived data except fold
 * snapshots is left to a rebuild.
 */
export async function loadLog(url: string, folder: string, progress?: Progress): Promise<void> {
  const address = parseAddress(url);
  const connection = await connect(address, LIMITS);
  try {
    await prepareSchema(connection, address);
    const file = openLogFile(join(folder, "log.db"));
    try {
      await inTransaction(connection, () => load(connection, file, join(folder, "blobs"), progress));
    } finally {
      file.close();
    }
  } finally {
    await connection.close();
  }
}

async function load(
  { query }: Connection,
  file: LogFile,
  blobs: string,
  progress: Progress | undefined,
): Promise<void> {
  const { db } = file;
  const [head] = await query("SELECT seq FROM head FOR UPDATE");
  if (head?.["seq"] !== 0) throw new StoreError("home_not_empty", { events: number(head?.["seq"]) });
  const last = file.lastSeq();
  let streams = 0;
  for (const rows of pages(file, "SELECT no, name FROM streams WHERE no > ? ORDER BY no", "no")) {
    const numbers = rows.map((row) => number(row["no"]));
    streams = Math.max(streams, ...numbers);
    await query(
      "INSERT INTO streams(no, name) SELECT * FROM unnest($1::bigint[], $2::bytea[])",
      bigintArray(numbers),
      namesArray(rows.map((row) => text(row["name"]))),
    );
  }
  for (const rows of pages(file, "SELECT * FROM events WHERE seq > ? ORDER BY seq", "seq")) {
    const orNull = (value: unknown) => (value === null ? null : bytes(value));
    await query(
      `INSERT INTO events(seq, stream, version, id, type, prev, header, hash, salt, data) SELECT * FROM unnest(
        $1::bigint[], $2::bigint[], $3::bigint[], $4::uuid[], $5::bytea[], $6::bytea[], $7::bytea[], $8::bytea[],
        $9::bytea[], $10::bytea[])`,
      bigintArray(rows.map((row) => number(row["seq"]))),
      bigintArray(rows.map((row) => number(row["stream"]))),
      bigintArray(rows.map((row) => number(row["version"]))),
      uuidArray(rows.map((row) => uuidOf(bytes(row["id"])))),
      namesArray(rows.map((row) => text(row["type"]))),
      ...["prev", "header", "hash"].map((name) => byteaArray(rows.map((row) => bytes(row[name])))),
      ...["salt", "data"].map((name) => byteaArray(rows.map((row) => orNull(row[name])))),
    );
    progress?.(number(rows.at(-1)?.["seq"]), last);
  }
  for (const row of db
    .prepare(`SELECT stream, version, state, sum FROM snapshots WHERE ${soundSnapshots(versionOf(db))}`)
    .iterate())
    await query(
      "INSERT INTO snapshots(stream, version, state, sum) VALUES ($1, $2, $3, $4)",
      ...[number(row["stream"]), number(row["version"]), bytes(row["state"]), number(row["sum"])],
    );
  for (const { name, seq, id } of file.cursors())
    await query("INSERT INTO cursors(name, seq, id) VALUES ($1, $2, $3)", name, seq, id);
  for (const name of file.blobNames()) {
    const packed = await translated(() => readFile(blobPath(blobs, name)).catch(ifNotThere));
    if (packed !== null)
      await query("INSERT INTO blobs(blob, packed) VALUES ($1, $2)", Buffer.from(name, "hex"), packed);
  }
  const fence = number(db.prepare("SELECT value FROM fence").get()?.["value"]);
  await query("UPDATE head SET seq = $1, streams = $2, fence = $3", last, streams, fence);
}

/** Pages are limited by rows and by bytes. */
function* pages({ db }: LogFile, sql: string, by: string): Generator<readonly Readonly<Record<string, unknown>>[]> {
  let page: Readonly<Record<string, unknown>>[] = [];
  let size = 0;
  let after = 0;
  const statement = db.prepare(`${sql} LIMIT ${PAGE_ROWS}`);
  for (;;) {
    page = [];
    size = 0;
    for (const row of statement.iterate(after)) {
      page.push(row);
      after = number(row[by]);
      size += row["data"] instanceof Uint8Array ? row["data"].length : 0;
      if (size >= PAGE_BYTES) break;
    }
    if (page.length === 0) return;
    yield page;
  }
}

function ifNotThere(cause: unknown): null {
  if (isErrno(cause, "ENOENT")) return null;
  throw cause;
}

import { rmSync, statSync } from "node:fs";
import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { SQLInputValue } from "node:sqlite";
import type { Definitions } from "../../../domains/index.ts";
import { FILE_MODE, FOLDER_MODE, flushFiles } from "../../backup/flush-files.ts";
import { blobPath } from "../../files/blobs.ts";
import { translated } from "../../files/durable-file.ts";
import { bytes, hexOf, idBytes, number } from "../../log/encoding.ts";
import { type LogCopy, type Progress, StoreError } from "../../port.ts";
import { type LogFile, openLogFile } from "../../sqlite/opening/log-file.ts";
import { ensureLists } from "../../sqlite/tables/lists.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { inTransaction, ONE_MOMENT } from "../connection/transaction.ts";
import type { Use } from "../reads/reader.ts";

const PAGE_ROWS = 256;
const PAGE_BYTES = 1024 * 1024;
/** Each may have a few megabytes. */
const SNAPSHOTS_A_TIME = 8;
const BLOBS_A_TIME = 16;

/**
 * Writes the log as a SQLite file, as an ordinary home would have it, from one moment of the database. Derived data
 * except fold snapshots and names of blobs is left out; a restore rebuilds it.
 */
export async function copyLog(
  use: Use,
  defined: Definitions,
  folder: string,
  progress: Progress | undefined,
  closing: AbortSignal,
): Promise<LogCopy> {
  const path = join(folder, "log.db");
  return use(async (connection) => {
    // A second attempt after a lost connection starts from scratch.
    for (const left of ["log.db", "log.db-journal"]) rmSync(join(folder, left), { force: true });
    await rm(join(folder, "blobs"), { recursive: true, force: true });
    await writeFile(path, "", { mode: FILE_MODE });
    const file = openLogFile(path);
    try {
      makeLists(file, defined);
      return await inTransaction(
        connection,
        async () => {
          const events = await copyRows(connection, file, progress, closing);
          const blobs = await takeBlobs(connection, file, join(folder, "blobs"), closing);
          file.close();
          await flushFiles([path]);
          return { ...blobs, events, bytes: blobs.bytes + statSync(path).size };
        },
        ONE_MOMENT,
      );
    } finally {
      if (file.db.isOpen) file.close();
    }
  });
}

/** Creates empty tables for the lists and marks them as not filled. */
function makeLists({ db }: LogFile, { lists }: Definitions): void {
  ensureLists(db, lists);
  db.exec("UPDATE lists SET filled = 0");
}

async function copyRows(
  { query }: Connection,
  { db }: LogFile,
  progress: Progress | undefined,
  closing: AbortSignal,
): Promise<number> {
  const [head] = await query("SELECT seq, fence FROM head");
  const last = number(head?.["seq"]);
  db.prepare("UPDATE fence SET value = ?").run(number(head?.["fence"]));
  const into = (sql: string, rows: readonly Row[], values: (row: Row) => readonly SQLInputValue[]): void => {
    const put = db.prepare(sql);
    db.exec("BEGIN");
    for (const row of rows) put.run(...values(row));
    db.exec("COMMIT");
  };
  const text = (value: unknown): string => Buffer.from(bytes(value)).toString("utf8");
  const orNull = (value: unknown): Uint8Array | null => (value === null ? null : bytes(value));

  for (let no = 0; ; ) {
    const rows = await query("SELECT no, name FROM streams WHERE no > $1 ORDER BY no LIMIT $2", no, PAGE_ROWS);
    into("INSERT INTO streams(no, name) VALUES (?, ?)", rows, (row) => [number(row["no"]), text(row["name"])]);
    no = number(rows.at(-1)?.["no"] ?? no);
    if (rows.length < PAGE_ROWS) break;
  }
  for (let seq = 0; seq < last; ) {
    if (closing.aborted) throw new StoreError("store_closed");
    const rows = await query(EVENTS, seq, seq + PAGE_ROWS);
    if (rows.length === 0) throw new StoreError("log_corrupt", { seq: seq + 1, problem: "missing" });
    into("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows, (row) => [
      ...[number(row["seq"]), number(row["stream"]), number(row["version"]), idBytes(String(row["id"]))],
      ...[text(row["type"]), bytes(row["prev"]), bytes(row["header"]), bytes(row["hash"])],
      ...[orNull(row["salt"]), orNull(row["data"])],
    ]);
    seq = number(rows.at(-1)?.["seq"]);
    progress?.(seq, last);
  }
  for (let after: readonly [number, number] = [0, 0]; ; ) {
    const rows = await query(
      "SELECT stream, version, state, sum FROM snapshots WHERE (stream, version) > ($1, $2) ORDER BY stream, version LIMIT $3",
      ...after,
      SNAPSHOTS_A_TIME,
    );
    into("INSERT INTO snapshots(stream, version, state, sum) VALUES (?, ?, ?, ?)", rows, (row) => [
      ...[number(row["stream"]), number(row["version"]), bytes(row["state"]), number(row["sum"])],
    ]);
    const at = rows.at(-1);
    if (at === undefined) break;
    after = [number(at["stream"]), number(at["version"])];
  }
  for (let after: readonly [Uint8Array, number] = [new Uint8Array(0), 0]; ; ) {
    const rows = await query(
      "SELECT blob, seq FROM event_blobs WHERE (blob, seq) > ($1, $2) ORDER BY blob, seq LIMIT $3",
      ...after,
      PAGE_ROWS,
    );
    into("INSERT INTO event_blobs(blob, seq) VALUES (?, ?)", rows, (row) => [
      hexOf(bytes(row["blob"])),
      number(row["seq"]),
    ]);
    const at = rows.at(-1);
    if (at === undefined || rows.length < PAGE_ROWS) break;
    after = [bytes(at["blob"]), number(at["seq"])];
  }
  into(
    "INSERT INTO cursors(name, seq, id) VALUES (?, ?, ?)",
    await query("SELECT name, seq, id FROM cursors"),
    (row) => [...[String(row["name"]), number(row["seq"]), String(row["id"])]],
  );
  return last;
}

/** PostgreSQL knows the size of the data without reading it. */
const EVENTS = `SELECT * FROM (
    SELECT *, sum(octet_length(data)) OVER (ORDER BY seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
    FROM events WHERE seq > $1 AND seq <= $2 ORDER BY seq
  ) e WHERE coalesce(before, 0) < ${PAGE_BYTES} ORDER BY seq`;

async function takeBlobs(
  { query }: Connection,
  file: LogFile,
  to: string,
  closing: AbortSignal,
): Promise<Pick<LogCopy, "blobs" | "bytes" | "missingBlobs">> {
  const missingBlobs: string[] = [];
  const written: string[] = [];
  const folders = new Set([to]);
  let total = 0;
  await translated(() => mkdir(to, { recursive: true, mode: FOLDER_MODE }));
  const take = async (name: string): Promise<void> => {
    if (closing.aborted) throw new StoreError("store_closed");
    const [found] = await query("SELECT packed FROM blobs WHERE blob = $1", Buffer.from(name, "hex"));
    if (found === undefined) {
      missingBlobs.push(name);
      return;
    }
    const path = blobPath(to, name);
    await translated(async () => {
      if (!folders.has(dirname(path))) await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
      folders.add(dirname(path));
      await writeFile(path, bytes(found["packed"]), { mode: FILE_MODE, flag: "wx" });
      total += (await stat(path)).size;
    });
    written.push(path);
    // Flushed as it goes, so that the transaction does not stay open for one long flush at the end.
    if (written.length % BLOBS_A_TIME === 0) await flushFiles(written.slice(-BLOBS_A_TIME));
  };
  for (const name of file.blobNames()) await take(name);
  await flushFiles(written.slice(written.length - (written.length % BLOBS_A_TIME)));
  await flushFiles(folders);
  return { blobs: written.length, bytes: total, missingBlobs };
}

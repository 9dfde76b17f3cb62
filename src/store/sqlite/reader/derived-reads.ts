import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { bytes, number, text } from "../../log/encoding.ts";
import type { DerivedReads } from "../../models/derived-reads.ts";
import type { PageReads } from "../reads/page-reads.ts";
import { storedIds, storedRow } from "../tables/rows.ts";
import { createStatements } from "../tables/statements.ts";
import { usageProblems } from "../writer/recount-usage.ts";

export function createDerivedReads(db: DatabaseSync, pages: PageReads, blobFolder: string): DerivedReads {
  const sql = createStatements(db);
  const reads: DerivedReads = {
    streams: () =>
      sql("SELECT name FROM streams ORDER BY no")
        .all()
        .map((row) => text(row["name"])),
    version: pages.version,
    versions: pages.versions,
    all: pages.all,
    call: pages.call,
    isBlobNoted: (blob, seq) =>
      sql("SELECT 1 AS known FROM event_blobs WHERE blob = ? AND seq = ?").get(blob, seq) !== undefined,
    storedIds: (list) => storedIds(sql, list),
    storedRow: (list, id) => storedRow(sql, list, id),
    snapshotVersions: (stream) =>
      new Set(
        sql("SELECT version FROM snapshots WHERE stream = (SELECT no FROM streams WHERE name = ?)")
          .all(stream)
          .map((row) => number(row["version"])),
      ),
    snapshotAt: (stream, version) => {
      const found = sql(
        "SELECT state, sum FROM snapshots WHERE stream = (SELECT no FROM streams WHERE name = ?) AND version = ?",
      ).get(stream, version);
      if (found === undefined) return null;
      const state = bytes(found["state"]);
      return { state: Buffer.from(state).toString("utf8"), isWhole: crc32(state) === found["sum"] };
    },
    brokenIndexes: () =>
      sql("PRAGMA integrity_check(20)")
        .all()
        .map((row) => String(row["integrity_check"]))
        .filter((line) => line !== "ok"),
    usageProblems: () => usageProblems(db, blobFolder),
    atOnce: async (work) => {
      sql("BEGIN").get();
      try {
        return await work(reads);
      } finally {
        sql("COMMIT").get();
      }
    },
  };
  return reads;
}

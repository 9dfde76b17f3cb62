import { crc32 } from "node:zlib";
import { bytes, number } from "../../log/encoding.ts";
import type { DerivedReads } from "../../models/derived-reads.ts";
import { utf8 } from "../connection/decode.ts";
import { inTransaction, ONE_MOMENT } from "../connection/transaction.ts";
import { storedIds, storedRow } from "../tables/rows.ts";
import { usageProblems } from "../writer/usage.ts";
import type { Sql } from "./event-pages.ts";
import { createPageReads } from "./page-reads.ts";
import type { Use } from "./reader.ts";

/** Each read uses its own connection, except reads that must see one moment. */
export function createDerivedReads(use: Use): DerivedReads {
  return {
    ...readsWith((text, ...given) => use(({ query }) => query(text, ...given))),
    atOnce: (work) =>
      use((connection) =>
        inTransaction(
          connection,
          () =>
            work({
              ...readsWith(connection.query),
              atOnce: () => Promise.reject(new Error("reads of one moment cannot be nested")),
            }),
          ONE_MOMENT,
        ),
      ),
  };
}

function readsWith(sql: Sql): Omit<DerivedReads, "atOnce"> {
  const { version, versions, all, call } = createPageReads(sql);
  return {
    version,
    versions,
    all,
    call,
    streams: async () => (await sql("SELECT name FROM streams ORDER BY no")).map((row) => utf8(row["name"])),
    isBlobNoted: async (blob, seq) =>
      (await sql("SELECT 1 FROM event_blobs WHERE blob = $1 AND seq = $2", Buffer.from(blob, "hex"), seq)).length > 0,
    storedIds: (list) => storedIds(sql, list),
    storedRow: (list, id) => storedRow(sql, list, id),
    snapshotVersions: async (stream) => {
      const found = await sql(
        "SELECT k.version FROM snapshots k JOIN streams s ON s.no = k.stream WHERE s.name = $1",
        Buffer.from(stream),
      );
      return new Set(found.map((row) => number(row["version"])));
    },
    snapshotAt: async (stream, version) => {
      const [found] = await sql(
        "SELECT k.state, k.sum FROM snapshots k JOIN streams s ON s.no = k.stream WHERE s.name = $1 AND k.version = $2",
        Buffer.from(stream),
        version,
      );
      return found === undefined
        ? null
        : { state: utf8(found["state"]), isWhole: crc32(bytes(found["state"])) === found["sum"] };
    },
    // PostgreSQL offers no index check that every role may run.
    brokenIndexes: () => [],
    usageProblems: () => usageProblems(sql),
  };
}

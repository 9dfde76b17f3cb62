import type { DatabaseSync } from "node:sqlite";
import { type Store, StoreError } from "../../port.ts";
import { rawOfStream } from "../copying/raw-events.ts";
import { createStatements } from "../tables/statements.ts";
import type { PageReads } from "./page-reads.ts";

type PointReads = Pick<
  Store,
  | "findCall"
  | "readStream"
  | "readAll"
  | "rawStream"
  | "event"
  | "version"
  | "seqAt"
  | "lastSeq"
  | "hashesAfter"
  | "rows"
  | "count"
  | "cursor"
  | "unfilledLists"
>;

/** Reads that are short enough for the main thread. */
export function createPointReads(db: DatabaseSync, reads: PageReads): PointReads {
  const sql = createStatements(db);
  return {
    findCall: async (call) => {
      const found = reads.call(call.keyHash);
      if (found === null) return null;
      if (call.requestHash !== found.request) throw new StoreError("idempotency_key_reused");
      return reads.between(found.first, found.last);
    },
    readStream: async (stream, query) => reads.stream(stream, query),
    readAll: async (query) => reads.all(query),
    rawStream: async (stream, after, limit) => rawOfStream(sql, stream, after, limit),
    event: async (id) => reads.event(id),
    version: async (stream) => reads.version(stream),
    seqAt: async (stream, version) => reads.seqAt(stream, version),
    lastSeq: async () => reads.lastSeq(),
    hashesAfter: async (seq, limit) => reads.hashesAfter(seq, limit),
    rows: async (list, query) => reads.rows(list, query),
    count: async (list, where) => reads.count(list, where),
    cursor: async (name) => reads.cursor(name),
    unfilledLists: async () => reads.unfilledLists(),
  };
}

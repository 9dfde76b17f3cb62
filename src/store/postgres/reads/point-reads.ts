import { number } from "../../log/encoding.ts";
import { type Store, StoreError } from "../../port.ts";
import type { UnderWay } from "../connection/under-way.ts";
import { rawOfStream } from "../copying/export.ts";
import type { Sql } from "./event-pages.ts";
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
  | "row"
  | "rows"
  | "count"
  | "counts"
  | "cursor"
  | "usage"
  | "files"
  | "blobUse"
  | "unfilledLists"
>;

const BLOB_USE =
  "SELECT octet_length(packed) AS bytes, (SELECT count(*) FROM event_blobs e WHERE e.blob = b.blob) AS names FROM blobs b WHERE blob = $1";

/** Reads that `close` waits for. */
export function createPointReads(sql: Sql, reads: PageReads, run: UnderWay["run"]): PointReads {
  return {
    findCall: (call) =>
      run(async () => {
        const found = await reads.call(call.keyHash);
        if (found === null) return null;
        if (call.requestHash !== found.request) throw new StoreError("idempotency_key_reused");
        return reads.between(found.first, found.last);
      }),
    readStream: (stream, query) => run(() => reads.stream(stream, query)),
    readAll: (query) => run(() => reads.all(query)),
    rawStream: (stream, after, limit) => run(() => rawOfStream(sql, stream, after, limit)),
    event: (id) => run(() => reads.event(id)),
    version: (stream) => run(() => reads.version(stream)),
    seqAt: (stream, version) => run(() => reads.seqAt(stream, version)),
    lastSeq: () => run(reads.lastSeq),
    hashesAfter: (seq, limit) => run(() => reads.hashesAfter(seq, limit)),
    row: (list, id) => run(() => reads.row(list, id)),
    rows: (list, query) => run(() => reads.rows(list, query)),
    count: (list, where) => run(() => reads.count(list, where)),
    counts: (list, by, where) => run(() => reads.counts(list, by, where)),
    cursor: (name) => run(() => reads.cursor(name)),
    usage: (stream) => run(() => reads.usage(stream)),
    files: () => run(reads.files),
    blobUse: (sha256) =>
      run(async () => {
        if (!/^[0-9a-f]{64}$/.test(sha256)) return null;
        const [found] = await sql(BLOB_USE, Buffer.from(sha256, "hex"));
        return found === undefined ? null : { names: number(found["names"]), bytes: number(found["bytes"]) };
      }),
    unfilledLists: () => run(reads.unfilledLists),
  };
}

import type { DatabaseSync } from "node:sqlite";
import type { List } from "../../../kernel/index.ts";
import { idBytes, number } from "../../log/encoding.ts";
import type { CursorWrite, WriteReply, WriteRequest } from "../../log/write-request.ts";
import type { StoreErrorCode } from "../../port.ts";
import { createSnapshotWriter } from "../reads/fold-snapshots.ts";
import { createRowWriter } from "../tables/rows.ts";
import { isConstraint, leavesNothing, translate } from "../tables/schema.ts";
import { createChecks } from "./check-request.ts";
import { emptyWal } from "./checkpoints.ts";
import { createDoomedBlobs } from "./doomed-blobs.ts";
import { createHeads } from "./heads.ts";
import { createRepairs } from "./repairs.ts";
import { createUsageBooks } from "./usage.ts";
import { createPartWriter, type LogEnd } from "./write-parts.ts";
import { prepareStatements } from "./write-statements.ts";

/**
 * Everything that writes. Requests that queued up during the last flush form one batch: one transaction, one flush. A
 * refused request changes nothing: all its conditions are checked before its first insert.
 */
export interface Writer {
  /** Throws a `StoreError` when the batch was not made durable. Nothing of it may then be acknowledged. */
  readonly commit: (requests: readonly WriteRequest[]) => readonly WriteReply[];
  /** Removes erased bytes that could not be removed from the files at once. Called when idle. */
  readonly scrubIfDue: () => void;
}

export function createWriter(db: DatabaseSync, blobFolder: string, lists: readonly List[]): Writer {
  const sql = prepareStatements(db);
  const rows = createRowWriter(db, lists);
  const usage = createUsageBooks(db, blobFolder);
  const repair = createRepairs(db, rows, usage.recount);
  const putSnapshot = createSnapshotWriter(db);
  const heads = createHeads(db);
  const doomed = createDoomedBlobs(db, blobFolder);
  const end: LogEnd = { seq: 0, fence: 0 };
  const { check, versionOf } = createChecks({ sql, heads, usage, doomed, fence: () => end.fence });
  const writePart = createPartWriter({ sql, heads, usage, end, writeRow: rows.write, putSnapshot });
  /** SQLite's `data_version` of the cached state; null when the cache may be ahead of the log. */
  let rememberedAt: number | null = null;

  /** Reloads the cached state if another process has written or a batch failed. */
  const remember = (): void => {
    const dataVersion = number(sql.dataVersion.get()?.["data_version"]);
    if (dataVersion === rememberedAt) return;
    end.seq = number(sql.lastSeq.get()?.["seq"]);
    end.fence = number(sql.fence.get()?.["value"]);
    heads.clear();
    rows.forget();
    usage.forget();
    rememberedAt = dataVersion;
  };

  const commit = (requests: readonly WriteRequest[]): readonly WriteReply[] => {
    try {
      sql.begin.run();
      remember();
      const replies = requests.map(write);
      usage.settle();
      sql.commit.run();
      return replies;
    } catch (cause) {
      rememberedAt = null;
      if (db.isTransaction) db.exec("ROLLBACK");
      if (!isConstraint(cause)) throw translate(cause);
      return requests.length === 1 ? [DUPLICATE] : requests.flatMap(alone);
    }
  };

  /**
   * One duplicate fails the whole batch, so each request is committed alone. A full disk then refuses only the rest.
   */
  const alone = (request: WriteRequest): readonly WriteReply[] => {
    try {
      return commit([request]);
    } catch (cause) {
      const error = translate(cause);
      if (!leavesNothing(error)) throw error;
      return [{ refused: error.code, details: error.details }];
    }
  };

  const write = (request: WriteRequest): WriteReply => {
    const refusal = check(request);
    if (refusal !== null) return refusal;
    if (request.erase !== null) erase(request.erase);
    for (const blob of request.sweep) if (sql.blobUsed.get(blob) === undefined) doomed.add(blob);
    if (request.vacuumPages > 0) db.prepare(`PRAGMA incremental_vacuum(${request.vacuumPages})`).all();
    if (request.repair !== null) repair(request.repair, versionOf);
    if (request.cursor !== null) writeCursor(request.cursor);
    const first = end.seq + 1;
    const written = request.parts.flatMap(writePart);
    if (request.call !== null && written.length > 0)
      sql.putCall.run(Buffer.from(request.call.key, "hex"), Buffer.from(request.call.request, "hex"), first, end.seq);
    return { ok: written, unscrubbed: null };
  };

  const writeCursor = ({ name, at }: CursorWrite): void => {
    if (at === null) sql.dropCursor.run(name);
    else sql.putCursor.run(name, at.seq, at.id);
  };

  const erase = (erasure: NonNullable<WriteRequest["erase"]>): void => {
    for (const { id, blobs } of erasure.events) {
      const seq = number(sql.seqOf.get(idBytes(id), erasure.stream)?.["seq"]);
      usage.erase(seq, blobs);
      for (const blob of blobs) if (sql.blobUsed.get(blob) === undefined) doomed.add(blob);
    }
    sql.dropSnapshots.run(erasure.stream);
    for (const { list, id } of erasure.rows) rows.write({ list, id, columns: [], row: null });
  };

  /** Removes erased bytes from the write-ahead log and the blobs. Returns why it failed; it is retried later. */
  const scrub = (): StoreErrorCode | null => {
    isScrubDue = true;
    try {
      doomed.remove();
      isScrubDue = !emptyWal(db);
      return isScrubDue ? "overloaded" : null;
    } catch (cause) {
      const error = translate(cause);
      if (!leavesNothing(error)) throw error;
      return error.code;
    }
  };
  let isScrubDue = false;

  scrub();
  return {
    commit: (requests) => {
      const replies = commit(requests);
      if (!requests.some((request) => request.scrub)) return replies;
      const unscrubbed = scrub();
      return replies.map((reply) => ("ok" in reply ? { ...reply, unscrubbed } : reply));
    },
    scrubIfDue: () => {
      if (isScrubDue) scrub();
    },
  };
}

const DUPLICATE: WriteReply = {
  refused: "stale_version",
  details: { reason: "an event with this id is already in the log" },
};

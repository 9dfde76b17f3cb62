import type { DatabaseSync } from "node:sqlite";
import { hashEvent, type List, NO_PREV, sameBytes } from "../../../kernel/index.ts";
import { bytes, hexOf, idBytes, number, sha256 } from "../../log/encoding.ts";
import {
  type CursorWrite,
  checkExpected,
  type WriteEvent,
  type WritePart,
  type WriteReply,
  type WriteRequest,
  type WrittenEvent,
} from "../../log/write-request.ts";
import type { StoreErrorCode } from "../../port.ts";
import { createSnapshotWriter } from "../reads/fold-snapshots.ts";
import { createRowWriter } from "../tables/rows.ts";
import { isConstraint, leavesNothing, translate } from "../tables/schema.ts";
import { emptyWal } from "./checkpoints.ts";
import { createDoomedBlobs } from "./doomed-blobs.ts";
import { createHeads } from "./heads.ts";
import { createRepairs } from "./repairs.ts";
import { createUsageBooks } from "./usage.ts";

/**
 * Everything that writes. One batch is one transaction and one flush: what queued up while the last one was flushed.
 * A refused request leaves no trace: all its conditions are checked before its first insert.
 */
export interface Writer {
  /** Throws a `StoreError` when the batch could not be made durable; then nothing of it was, or it must not be told. */
  readonly commit: (requests: readonly WriteRequest[]) => readonly WriteReply[];
  /** When there is time: what was erased and could not leave the files at once. */
  readonly scrubIfDue: () => void;
}

export function createWriter(db: DatabaseSync, blobFolder: string, lists: readonly List[]): Writer {
  const sql = statements(db);
  const writeRow = createRowWriter(db, lists);
  const usage = createUsageBooks(db, blobFolder);
  const repair = createRepairs(db, writeRow, usage.recount);
  const putSnapshot = createSnapshotWriter(db);
  const heads = createHeads(db);
  const doomed = createDoomedBlobs(db, blobFolder);
  let lastSeq = 0;
  let fence = 0;
  /** By SQLite's count of what others wrote; null when what is remembered may be ahead of the log. */
  let rememberedAt: number | null = null;

  /** What is remembered between batches holds as long as every batch was committed and nobody else has written. */
  const remember = (): void => {
    const dataVersion = number(sql.dataVersion.get()?.["data_version"]);
    if (dataVersion === rememberedAt) return;
    lastSeq = number(sql.lastSeq.get()?.["seq"]);
    fence = number(sql.fence.get()?.["value"]);
    heads.clear();
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

  /** One of a batch spoils it for all: each then gets a flush of its own, and a full disk refuses only what is left. */
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
    const first = lastSeq + 1;
    const written = request.parts.flatMap(writePart);
    if (request.call !== null && written.length > 0)
      sql.putCall.run(Buffer.from(request.call.key, "hex"), Buffer.from(request.call.request, "hex"), first, lastSeq);
    return { ok: written, unscrubbed: null };
  };

  const check = (request: WriteRequest): WriteReply | null => {
    const taken = request.parts.flatMap((part) => part.events).find((event) => event.takesFence !== null)?.takesFence;
    if (request.fence !== (taken ?? fence) || (taken != null && taken <= fence))
      return { refused: "stale_fence", details: { fence: request.fence, current: fence } };
    const known = request.call === null ? undefined : sql.call.get(Buffer.from(request.call.key, "hex"));
    if (known !== undefined) {
      const same = sameBytes(bytes(known["request"]), Buffer.from(request.call?.request ?? "", "hex"));
      return same
        ? { refused: "stale_version", details: { reason: "this call has already run" } }
        : { refused: "idempotency_key_reused", details: {} };
    }
    const unknown = request.erase?.events.find(
      ({ id }) => sql.seqOf.get(idBytes(id), request.erase?.stream ?? "") === undefined,
    );
    if (unknown !== undefined) return { refused: "event_not_found", details: { id: unknown.id } };
    for (const part of request.parts) {
      const refusal = checkPart(part);
      if (refusal !== null) return refusal;
    }
    const moved = checkExpected(request.expect, versionOf);
    if (moved !== null) return moved;
    return request.quota === null
      ? null
      : usage.check(request.quota, request.parts, (stream) => heads.of(stream)?.no ?? NO_STREAM);
  };

  const versionOf = (stream: string): number => heads.of(stream)?.version ?? 0;

  const checkPart = ({ stream, expectedVersion, continues, events }: WritePart): WriteReply | null => {
    if (continues !== null && sql.hashAt.get(continues.stream, continues.version) === undefined)
      return { refused: "event_not_found", details: { ...continues } };
    const head = heads.of(stream);
    if (head?.isWhole === false)
      return { refused: "log_corrupt", details: { stream, version: head.version, problem: "hash_mismatch" } };
    const found = head?.version ?? 0;
    if (found !== expectedVersion)
      return { refused: "stale_version", details: { stream, expected: expectedVersion, found } };
    const blob = events.flatMap(({ blobs }) => blobs).find(doomed.isGone);
    return blob === undefined ? null : { refused: "blob_missing", details: { blob } };
  };

  const writePart = (part: WritePart): readonly WrittenEvent[] => {
    const before = heads.of(part.stream);
    const no = before?.no ?? Number(sql.newStream.run(part.stream).lastInsertRowid);
    let version = part.expectedVersion;
    let prev = before?.hash ?? firstPrev(part);
    const written = part.events.map((event) => {
      version += 1;
      const from = prev;
      prev = insert(no, version, from, event);
      return { seq: lastSeq, prev: hexOf(from), hash: hexOf(prev) };
    });
    heads.set(part.stream, { no, version, hash: prev, isWhole: true });
    usage.add(no, part.account === part.stream ? no : (heads.of(part.account)?.no ?? no), part.events);
    for (const row of part.rows) writeRow(row);
    if (part.snapshot !== null) putSnapshot(no, version, part.snapshot);
    return written;
  };

  const insert = (no: number, version: number, prev: Uint8Array, event: WriteEvent): Uint8Array => {
    lastSeq += 1;
    const { id, type, header, salt, data, blobs, takesFence } = event;
    const headerBytes = Buffer.from(header);
    const hash = hashEvent(sha256, prev, header);
    sql.insert.run(
      lastSeq,
      no,
      version,
      idBytes(id),
      type,
      prev,
      headerBytes,
      hash,
      Buffer.from(salt, "hex"),
      Buffer.from(data),
    );
    for (const blob of blobs) sql.putBlob.run(blob, lastSeq);
    if (takesFence !== null) {
      sql.setFence.run(takesFence);
      fence = takesFence;
    }
    return hash;
  };

  const writeCursor = ({ name, at }: CursorWrite): void => {
    if (at === null) sql.dropCursor.run(name);
    else sql.putCursor.run(name, at.seq, at.id);
  };

  const firstPrev = (part: WritePart): Uint8Array => {
    if (part.continues === null) return NO_PREV;
    return bytes(sql.hashAt.get(part.continues.stream, part.continues.version)?.["hash"]);
  };

  const erase = (erasure: NonNullable<WriteRequest["erase"]>): void => {
    for (const { id, blobs } of erasure.events) {
      const seq = number(sql.seqOf.get(idBytes(id), erasure.stream)?.["seq"]);
      usage.erase(seq, blobs);
      for (const blob of blobs) if (sql.blobUsed.get(blob) === undefined) doomed.add(blob);
    }
    sql.dropSnapshots.run(erasure.stream);
    for (const { list, id } of erasure.rows) writeRow({ list, id, columns: [], row: null });
  };

  /** What was erased leaves the write-ahead log and the blobs too. What keeps it from leaving is told, and tried again. */
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

/** One that has no number yet uses nothing; numbers begin with 1, and 0 is the whole log. */
const NO_STREAM = -1;
const DUPLICATE: WriteReply = {
  refused: "stale_version",
  details: { reason: "an event with this id is already in the log" },
};

function statements(db: DatabaseSync) {
  return {
    begin: db.prepare("BEGIN IMMEDIATE"),
    commit: db.prepare("COMMIT"),
    dataVersion: db.prepare("PRAGMA data_version"),
    lastSeq: db.prepare("SELECT coalesce(max(seq), 0) AS seq FROM events"),
    fence: db.prepare("SELECT value FROM fence"),
    setFence: db.prepare("UPDATE fence SET value = ?"),
    call: db.prepare("SELECT request FROM calls WHERE key = ?"),
    putCall: db.prepare("INSERT INTO calls(key, request, first, last) VALUES (?, ?, ?, ?)"),
    hashAt: db.prepare(
      "SELECT e.hash FROM streams s JOIN events e ON e.stream = s.no WHERE s.name = ? AND e.version = ?",
    ),
    newStream: db.prepare("INSERT INTO streams(name) VALUES (?)"),
    insert: db.prepare(
      "INSERT INTO events(seq, stream, version, id, type, prev, header, hash, salt, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    ),
    putBlob: db.prepare("INSERT OR IGNORE INTO event_blobs(blob, seq) VALUES (?, ?)"),
    seqOf: db.prepare("SELECT e.seq FROM events e JOIN streams s ON s.no = e.stream WHERE e.id = ? AND s.name = ?"),
    blobUsed: db.prepare("SELECT 1 AS used FROM event_blobs WHERE blob = ? LIMIT 1"),
    putCursor: db.prepare("INSERT OR REPLACE INTO cursors(name, seq, id) VALUES (?, ?, ?)"),
    dropCursor: db.prepare("DELETE FROM cursors WHERE name = ?"),
    dropSnapshots: db.prepare("DELETE FROM snapshots WHERE stream = (SELECT no FROM streams WHERE name = ?)"),
  };
}

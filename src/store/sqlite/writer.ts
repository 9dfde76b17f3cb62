import { randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { hashData, hashEvent, headerText, NO_PREV, SALT_BYTES, sameBytes } from "../../kernel/index.ts";
import { bytes, idBytes, number, sha256 } from "./encoding.ts";
import type { WriteEvent, WritePart, WriteReply, WriteRequest } from "./messages.ts";
import { createRowWriter } from "./row-writer.ts";
import { isConstraint, TABLE_OF, translate } from "./schema.ts";

/**
 * Everything that writes. One batch is one transaction and one flush: what queued up while the last one was flushed.
 * A refused request leaves no trace: all its conditions are checked before its first insert.
 */
export interface Writer {
  /** Throws a `StoreError` when the batch could not be made durable; then nothing of it was. */
  readonly commit: (requests: readonly WriteRequest[]) => readonly WriteReply[];
}

interface Head {
  readonly no: number;
  readonly version: number;
  readonly hash: Uint8Array;
}

const HEADS_KEPT = 20_000;

export function createWriter(db: DatabaseSync): Writer {
  const sql = statements(db);
  const writeRow = createRowWriter(db);
  const heads = new Map<string, Head>();
  let lastSeq = number(sql.lastSeq.get()?.["seq"]);

  const commit = (requests: readonly WriteRequest[]): readonly WriteReply[] => {
    const seqBefore = lastSeq;
    const replies: WriteReply[] = [];
    try {
      db.exec("BEGIN IMMEDIATE");
      for (const request of requests) replies.push(write(request));
      db.exec("COMMIT");
    } catch (cause) {
      lastSeq = seqBefore;
      heads.clear();
      rollBack(db);
      if (!isConstraint(cause)) throw translate(cause);
      if (requests.length === 1)
        return [{ refused: "stale_version", details: { reason: "an event with this id is already in the log" } }];
      return requests.flatMap((request) => commit([request]));
    }
    return replies;
  };

  const write = (request: WriteRequest): WriteReply => {
    const refusal = check(request);
    if (refusal !== null) return refusal;
    const orphans = request.erase === null ? [] : erase(request.erase);
    for (const { model, id } of request.repair?.remove ?? [])
      db.prepare(`DELETE FROM ${TABLE_OF[model]} WHERE id = ?`).run(id);
    for (const change of request.repair?.put ?? []) writeRow(change);
    const first = lastSeq + 1;
    const written = request.parts.flatMap(writePart);
    if (request.call !== null && written.length > 0)
      sql.putCall.run(Buffer.from(request.call.key, "hex"), Buffer.from(request.call.request, "hex"), first, lastSeq);
    return { ok: written, orphans };
  };

  const check = (request: WriteRequest): WriteReply | null => {
    const fence = number(sql.fence.get()?.["value"]);
    const taken = request.parts.flatMap((part) => part.events).find((event) => event.takesFence !== null)?.takesFence;
    if (request.fence !== (taken ?? fence) || (taken != null && taken <= fence))
      return { refused: "stale_fence", details: { fence: request.fence, current: fence } };
    if (request.call !== null) {
      const known = sql.call.get(Buffer.from(request.call.key, "hex"));
      if (known !== undefined) {
        const same = sameBytes(bytes(known["request"]), Buffer.from(request.call.request, "hex"));
        return same
          ? { refused: "stale_version", details: { reason: "this call was already carried out" } }
          : { refused: "idempotency_key_reused", details: {} };
      }
    }
    const unknown = request.erase?.ids.find(
      (id) => sql.seqOf.get(idBytes(id), request.erase?.stream ?? "") === undefined,
    );
    if (unknown !== undefined) return { refused: "event_not_found", details: { id: unknown } };
    for (const part of request.parts) {
      const { continues } = part;
      if (continues !== null && sql.hashAt.get(continues.stream, continues.version) === undefined)
        return { refused: "event_not_found", details: { ...continues } };
      const version = head(part.stream)?.version ?? 0;
      if (version !== part.expectedVersion)
        return {
          refused: "stale_version",
          details: { stream: part.stream, expected: part.expectedVersion, found: version },
        };
    }
    return null;
  };

  const writePart = (part: WritePart) => {
    const before = head(part.stream);
    const no = before?.no ?? Number(sql.newStream.run(part.stream).lastInsertRowid);
    let version = part.expectedVersion;
    let prev = before?.hash ?? firstPrev(part);
    const written = part.events.map((event) => {
      version += 1;
      const entry = insert(no, part.stream, version, prev, event);
      prev = entry.hash;
      return entry;
    });
    remember(part.stream, { no, version, hash: prev });
    for (const change of part.rows) writeRow(change);
    if (part.snapshot !== null) sql.putSnapshot.run(no, version, Buffer.from(part.snapshot));
    return written;
  };

  const insert = (no: number, stream: string, version: number, prev: Uint8Array, event: WriteEvent) => {
    lastSeq += 1;
    const seq = lastSeq;
    const salt = randomBytes(SALT_BYTES);
    const data = Buffer.from(event.data);
    const { id, type, at, actor, cause } = event;
    const header = headerText({ id, stream, version, type, at, actor, cause, dataHash: hashData(sha256, salt, data) });
    const hash = hashEvent(sha256, prev, header);
    sql.insert.run(seq, no, version, idBytes(id), type, prev, Buffer.from(header), hash, salt, data);
    for (const blob of event.blobs) sql.putBlob.run(blob, seq);
    if (event.takesFence !== null) sql.setFence.run(event.takesFence);
    return { seq, prev, hash };
  };

  const firstPrev = (part: WritePart): Uint8Array => {
    if (part.continues === null) return NO_PREV;
    return bytes(sql.hashAt.get(part.continues.stream, part.continues.version)?.["hash"]);
  };

  const head = (stream: string): Head | null => {
    const known = heads.get(stream);
    if (known !== undefined) return known;
    const found = sql.head.get(stream);
    if (found === undefined) return null;
    const loaded = { no: number(found["no"]), version: number(found["version"]), hash: bytes(found["hash"]) };
    remember(stream, loaded);
    return loaded;
  };

  const remember = (stream: string, loaded: Head): void => {
    heads.delete(stream);
    heads.set(stream, loaded);
    if (heads.size <= HEADS_KEPT) return;
    const oldest = heads.keys().next().value;
    if (oldest !== undefined) heads.delete(oldest);
  };

  const erase = (erasure: NonNullable<WriteRequest["erase"]>): readonly string[] => {
    const orphans: string[] = [];
    for (const id of erasure.ids) {
      const seq = number(sql.seqOf.get(idBytes(id), erasure.stream)?.["seq"]);
      const blobs = sql.blobsOf.all(seq).map((row) => String(row["blob"]));
      sql.blank.run(seq);
      sql.dropBlobs.run(seq);
      orphans.push(...blobs.filter((blob) => sql.blobUsed.get(blob) === undefined));
    }
    sql.dropSnapshots.run(erasure.stream);
    if (erasure.sessionId !== null) sql.dropApprovals.run(erasure.sessionId);
    return orphans;
  };

  return {
    commit: (requests) => {
      const erasing = requests.some((request) => request.erase !== null);
      if (!erasing) return commit(requests);
      db.exec("PRAGMA secure_delete=ON");
      try {
        return commit(requests);
      } finally {
        db.exec("PRAGMA secure_delete=OFF");
        db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      }
    },
  };
}

function rollBack(db: DatabaseSync): void {
  if (db.isTransaction) db.exec("ROLLBACK");
}

function statements(db: DatabaseSync) {
  return {
    lastSeq: db.prepare("SELECT coalesce(max(seq), 0) AS seq FROM events"),
    fence: db.prepare("SELECT value FROM fence"),
    setFence: db.prepare("UPDATE fence SET value = ?"),
    call: db.prepare("SELECT request FROM calls WHERE key = ?"),
    putCall: db.prepare("INSERT INTO calls(key, request, first, last) VALUES (?, ?, ?, ?)"),
    head: db.prepare(
      "SELECT s.no, e.version, e.hash FROM streams s JOIN events e ON e.stream = s.no WHERE s.name = ? ORDER BY e.version DESC LIMIT 1",
    ),
    hashAt: db.prepare(
      "SELECT e.hash FROM streams s JOIN events e ON e.stream = s.no WHERE s.name = ? AND e.version = ?",
    ),
    newStream: db.prepare("INSERT INTO streams(name) VALUES (?)"),
    insert: db.prepare(
      "INSERT INTO events(seq, stream, version, id, type, prev, header, hash, salt, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    ),
    putBlob: db.prepare("INSERT OR IGNORE INTO event_blobs(blob, seq) VALUES (?, ?)"),
    putSnapshot: db.prepare("INSERT OR REPLACE INTO snapshots(stream, version, state) VALUES (?, ?, ?)"),
    seqOf: db.prepare("SELECT e.seq FROM events e JOIN streams s ON s.no = e.stream WHERE e.id = ? AND s.name = ?"),
    blank: db.prepare("UPDATE events SET data = NULL, salt = NULL WHERE seq = ?"),
    blobsOf: db.prepare("SELECT blob FROM event_blobs WHERE seq = ?"),
    dropBlobs: db.prepare("DELETE FROM event_blobs WHERE seq = ?"),
    blobUsed: db.prepare("SELECT 1 AS used FROM event_blobs WHERE blob = ? LIMIT 1"),
    dropApprovals: db.prepare("DELETE FROM approvals WHERE session = ?"),
    dropSnapshots: db.prepare("DELETE FROM snapshots WHERE stream = (SELECT no FROM streams WHERE name = ?)"),
  };
}

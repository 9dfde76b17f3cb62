import type { DatabaseSync } from "node:sqlite";

export type WriteStatements = ReturnType<typeof prepareStatements>;

export function prepareStatements(db: DatabaseSync) {
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

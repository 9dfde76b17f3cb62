import { hashEvent, NO_PREV } from "../../../domains/index.ts";
import { bytes, hexOf, idBytes } from "../../log/encoding.ts";
import { sha256 } from "../../log/sha256.ts";
import type { WriteEvent, WritePart, WrittenEvent } from "../../log/write-request.ts";
import type { RowWrite } from "../../models/rows.ts";
import type { Heads } from "./heads.ts";
import type { UsageBooks } from "./usage.ts";
import type { WriteStatements } from "./write-statements.ts";

/** The end of the log, updated by each insert. */
export interface LogEnd {
  seq: number;
  fence: number;
}

export interface PartWriterDeps {
  readonly sql: WriteStatements;
  readonly heads: Heads;
  readonly usage: Pick<UsageBooks, "add">;
  readonly end: LogEnd;
  readonly writeRow: (row: RowWrite) => void;
  readonly putSnapshot: (stream: number, version: number, state: string) => void;
}

/** Links the events of one stream to its head and inserts them with their rows and fold snapshot. */
export function createPartWriter({ sql, heads, usage, end, writeRow, putSnapshot }: PartWriterDeps) {
  const firstPrev = (part: WritePart): Uint8Array => {
    if (part.continues === null) return NO_PREV;
    return bytes(sql.hashAt.get(part.continues.stream, part.continues.version)?.["hash"]);
  };

  const insert = (no: number, version: number, prev: Uint8Array, event: WriteEvent): Uint8Array => {
    end.seq += 1;
    const { id, type, header, salt, data, blobs, takesFence } = event;
    const headerBytes = Buffer.from(header);
    const hash = hashEvent(sha256, prev, header);
    sql.insert.run(
      end.seq,
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
    for (const blob of blobs) sql.putBlob.run(blob, end.seq);
    if (takesFence !== null) {
      sql.setFence.run(takesFence);
      end.fence = takesFence;
    }
    return hash;
  };

  return (part: WritePart): readonly WrittenEvent[] => {
    const before = heads.of(part.stream);
    const no = before?.no ?? Number(sql.newStream.run(part.stream).lastInsertRowid);
    let version = part.expectedVersion;
    let prev = before?.hash ?? firstPrev(part);
    const written = part.events.map((event) => {
      version += 1;
      const from = prev;
      prev = insert(no, version, from, event);
      return { seq: end.seq, prev: hexOf(from), hash: hexOf(prev) };
    });
    heads.set(part.stream, { no, version, hash: prev, isWhole: true });
    usage.add(no, part.account === part.stream ? no : (heads.of(part.account)?.no ?? no), part.events);
    for (const row of part.rows) writeRow(row);
    if (part.snapshot !== null) putSnapshot(no, version, part.snapshot);
    return written;
  };
}

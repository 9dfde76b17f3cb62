import { closeSync, existsSync, openSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Definitions } from "../../../domains/index.ts";
import { number, text } from "../../log/encoding.ts";
import { erasedIds, searchedTypes, wordsIn } from "../../models/searched-types.ts";
import type { Advanced, RecordedEvent, SearchHit } from "../../port.ts";
import type { PageReads } from "../reads/page-reads.ts";

/** The search index: a separate file that follows the log by a cursor. If deleted, it is rebuilt. */
export interface SearchIndex {
  readonly position: () => number;
  readonly advance: () => Advanced;
  /** Removes the words of erased events, including their bytes in the file. */
  readonly forget: (seqs: readonly number[]) => void;
  readonly search: (words: string, limit: number, kind: string) => readonly SearchHit[];
  readonly close: () => void;
}

const PAGE = 1000;
const CACHE_KIB = 4 * 1024;

export function openSearchIndex(path: string, reads: PageReads, defined: Definitions): SearchIndex {
  const types = searchedTypes(defined);
  const db = openOrRenew(path, reads);
  const cursorRow = db.prepare("SELECT seq FROM cursor");
  const setCursor = db.prepare("UPDATE cursor SET seq = ?, id = ?");
  const put = db.prepare("INSERT INTO docs(rowid, text, stream, event) VALUES (?, ?, ?, ?)");
  const drop = db.prepare("DELETE FROM docs WHERE rowid = ?");
  const find = db.prepare(
    "SELECT stream, event, snippet(docs, 0, '', '', '…', 12) AS snippet FROM docs WHERE docs MATCH ? AND (stream = ? OR stream >= ? AND stream < ?) ORDER BY rowid DESC LIMIT ?",
  );

  const take = (event: RecordedEvent): void => {
    if (event.type === "data.erased@1") {
      for (const id of erasedIds(event)) {
        const erased = reads.event(id);
        if (erased !== null) drop.run(erased.seq);
      }
      return;
    }
    const words = wordsIn(defined, event);
    if (words !== null) put.run(event.seq, words, event.stream, event.id);
  };

  const atomically = (work: () => void): void => {
    db.exec("BEGIN IMMEDIATE");
    try {
      work();
      db.exec("COMMIT");
    } catch (cause) {
      if (db.isTransaction) db.exec("ROLLBACK");
      throw cause;
    }
  };

  const position = (): number => number(cursorRow.get()?.["seq"]);
  const advance = (): Advanced => {
    const cursor = position();
    const end = reads.lastSeq();
    if (cursor >= end) return { position: cursor, isAtEnd: true };
    const page = reads.all({ after: cursor, before: end + 1, limit: PAGE, types });
    const reached = page.next ?? end;
    atomically(() => {
      for (const event of page.events) take(event);
      setCursor.run(reached, idAt(reads, reached));
    });
    return { position: reached, isAtEnd: reached >= reads.lastSeq() };
  };

  return {
    position,
    advance,
    forget: (seqs) => {
      atomically(() => {
        for (const seq of seqs) drop.run(seq);
      });
      db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    },
    search: (words, limit, kind) => {
      while (!advance().isAtEnd);
      const query = matchQuery(words);
      if (query === null) return [];
      return find.all(query, kind, `${kind}/`, `${kind}0`, limit).map((row) => ({
        stream: text(row["stream"]),
        eventId: text(row["event"]),
        snippet: text(row["snippet"]),
      }));
    },
    close: () => db.close(),
  };
}

/** The index can be rebuilt from the log, so an unreadable file or one of another log is deleted. */
function openOrRenew(path: string, reads: PageReads): DatabaseSync {
  const db = openIfSound(path);
  if (db !== null) {
    if (validCursor(db, reads) !== null) return db;
    db.close();
  }
  discardSearchIndex(path);
  return open(path);
}

/** Where a closed index stands in this log; null when only opening it can tell. */
export function readCursor(path: string, reads: PageReads): number | null {
  if (!existsSync(path)) return 0;
  let db: DatabaseSync | null = null;
  try {
    db = new DatabaseSync(path, { readOnly: true });
    return validCursor(db, reads);
  } catch {
    return null;
  } finally {
    db?.close();
  }
}

/** Null when the index is not of this log. */
function validCursor(db: DatabaseSync, reads: PageReads): number | null {
  const { seq, id } = db.prepare("SELECT seq, id FROM cursor").get() ?? {};
  return typeof seq === "number" && seq <= reads.lastSeq() && idAt(reads, seq) === id ? seq : null;
}

export function discardSearchIndex(path: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(path + suffix, { force: true });
}

function openIfSound(path: string): DatabaseSync | null {
  try {
    return open(path);
  } catch {
    return null;
  }
}

/** Both kinds of secure deletion: in the index's segments and in free pages. */
function open(path: string): DatabaseSync {
  closeSync(openSync(path, "a", 0o600));
  const db = new DatabaseSync(path, { timeout: 2000 });
  try {
    db.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA secure_delete=ON");
    db.exec(`PRAGMA cache_size=-${CACHE_KIB}`);
    db.exec(
      "CREATE TABLE IF NOT EXISTS cursor(seq INTEGER NOT NULL, id TEXT NOT NULL); CREATE VIRTUAL TABLE IF NOT EXISTS docs USING fts5(text, stream UNINDEXED, event UNINDEXED)",
    );
    // The index of an earlier version has no stream column; it is rebuilt.
    db.prepare("SELECT stream FROM docs LIMIT 0");
    db.exec("INSERT INTO cursor SELECT 0, '' WHERE NOT EXISTS (SELECT 1 FROM cursor)");
    db.exec("INSERT INTO docs(docs, rank) VALUES ('secure-delete', 1)");
    return db;
  } catch (cause) {
    db.close();
    throw cause;
  }
}

function idAt(reads: PageReads, seq: number): string {
  return seq === 0 ? "" : (reads.between(seq, seq)[0]?.id ?? "");
}

/** Every word must occur, and the last one may be a prefix. Quoted, so that no word is read as an operator. */
function matchQuery(words: string): string | null {
  const terms = words.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  if (terms.length === 0) return null;
  return `${terms.map((word) => `"${word.replaceAll('"', '""')}"`).join(" ")}*`;
}

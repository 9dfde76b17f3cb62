import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { RecordedEvent, SearchHit } from "../port.ts";
import { number, text } from "./encoding.ts";
import type { PageReads } from "./page-reads.ts";

/** Full text in a file of its own, behind a cursor into the log. Delete the file and it is built again. */
export interface SearchIndex {
  /** One page further; false when it has caught up. */
  readonly advance: () => boolean;
  readonly search: (words: string, limit: number) => readonly SearchHit[];
  readonly close: () => void;
}

const PAGE = 1000;
const SESSION_STREAM = "session/";

export function openSearchIndex(path: string, reads: PageReads): SearchIndex {
  const db = openOrRenew(path);
  const cursorRow = db.prepare("SELECT seq FROM cursor");
  const setCursor = db.prepare("UPDATE cursor SET seq = ?");
  const put = db.prepare("INSERT INTO docs(rowid, text, session, event) VALUES (?, ?, ?, ?)");
  const drop = db.prepare("DELETE FROM docs WHERE rowid = ?");
  const find = db.prepare(
    "SELECT session, event, snippet(docs, 0, '', '', '…', 12) AS snippet FROM docs WHERE docs MATCH ? ORDER BY rowid DESC LIMIT ?",
  );

  const take = (event: RecordedEvent): void => {
    if (event.type === "data.erased@1") {
      for (const id of erasedIds(event)) {
        const erased = reads.event(id);
        if (erased !== null) drop.run(erased.seq);
      }
      return;
    }
    const words = wordsOf(event);
    if (words !== null && event.stream.startsWith(SESSION_STREAM))
      put.run(event.seq, words, event.stream.slice(SESSION_STREAM.length), event.id);
  };

  const advance = (): boolean => {
    const cursor = number(cursorRow.get()?.["seq"]);
    const page = reads.all({ after: cursor, limit: PAGE });
    const last = page.events.at(-1);
    if (last === undefined) return false;
    db.exec("BEGIN");
    for (const event of page.events) take(event);
    setCursor.run(last.seq);
    db.exec("COMMIT");
    return page.next !== null;
  };

  return {
    advance,
    search: (words, limit) => {
      while (advance());
      const query = matchQuery(words);
      if (query === null) return [];
      return find.all(query, limit).map((row) => ({
        sessionId: text(row["session"]),
        eventId: text(row["event"]),
        snippet: text(row["snippet"]),
      }));
    },
    close: () => db.close(),
  };
}

/** It holds nothing that the log does not hold: a file that cannot be read is thrown away. */
function openOrRenew(path: string): DatabaseSync {
  try {
    return open(path);
  } catch {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(path + suffix, { force: true });
    return open(path);
  }
}

function open(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: 2000 });
  db.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-16384");
  db.exec(
    "CREATE TABLE IF NOT EXISTS cursor(seq INTEGER NOT NULL); CREATE VIRTUAL TABLE IF NOT EXISTS docs USING fts5(text, session UNINDEXED, event UNINDEXED)",
  );
  db.exec("INSERT INTO cursor SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM cursor)");
  return db;
}

/** Every word must occur, the last may be a beginning. Quoted, so that no word is taken for an operator. */
function matchQuery(words: string): string | null {
  const terms = words.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  if (terms.length === 0) return null;
  return `${terms.map((word) => `"${word.replaceAll('"', '""')}"`).join(" ")}*`;
}

function wordsOf(event: RecordedEvent): string | null {
  const { data } = event;
  if (data === null || typeof data !== "object" || !("turnId" in data || "label" in data)) return null;
  const body = member(data, "prompt") ?? member(data, "body");
  const words = [member(body, "text"), member(data, "label"), member(member(data, "spec"), "name")];
  const found = words.filter((word) => typeof word === "string" && word !== "");
  return found.length === 0 ? null : found.join(" ");
}

function erasedIds(event: RecordedEvent): readonly string[] {
  const ids = member(event.data, "events");
  return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
}

function member(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

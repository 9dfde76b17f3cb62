import type { Definitions } from "../../../domains/index.ts";
import { isUuid } from "../../../kernel/index.ts";
import { number } from "../../log/encoding.ts";
import { erasedIds, searchedTypes, wordsIn } from "../../models/searched-types.ts";
import type { Advanced, RecordedEvent, SearchHit } from "../../port.ts";
import { bigintArray, byteaArray, textArray, uuidArray } from "../connection/arrays.ts";
import type { Connection } from "../connection/connection.ts";
import { utf8 } from "../connection/decode.ts";
import { inTransaction } from "../connection/transaction.ts";
import { createPageReads } from "./page-reads.ts";
import type { Use } from "./reader.ts";
import { snippetOf, tsqueryOf, tsvectorOf } from "./search-text.ts";

/** The search index: a table that follows the log by a cursor. It can be emptied and rebuilt. */
export interface SearchIndex {
  readonly position: () => Promise<number>;
  readonly advance: () => Promise<Advanced>;
  /** Empties it. */
  readonly restart: () => Promise<void>;
  readonly search: (words: string, limit: number, kind: string) => Promise<readonly SearchHit[]>;
}

interface Doc {
  readonly event: RecordedEvent;
  readonly words: string;
}

const PAGE = 500;
/** Further text of one event is not indexed. */
const WORDS_CHARS_MAX = 100_000;

export function createSearchIndex(use: Use, defined: Definitions): SearchIndex {
  const types = searchedTypes(defined);
  /** The lock on the cursor keeps another indexer, in this process or another, from indexing the same page. */
  const advance = (): Promise<Advanced> =>
    use((connection) =>
      inTransaction(connection, async () => {
        const { query } = connection;
        const reads = createPageReads(query);
        const [cursor] = await query("SELECT seq, id FROM search_cursor FOR UPDATE");
        const at = await foundAgain(connection, number(cursor?.["seq"]), String(cursor?.["id"]));
        const end = await reads.lastSeq();
        if (at >= end) return { position: at, isAtEnd: true };
        const page = await reads.all({ after: at, before: end + 1, limit: PAGE, types });
        const reached = page.next ?? end;
        await take(connection, defined, page.events);
        const [last] = await reads.between(reached, reached);
        await query("UPDATE search_cursor SET seq = $1, id = $2", reached, last?.id ?? "");
        return { position: reached, isAtEnd: reached >= end };
      }),
    );

  /** Without the lock, so that searches do not block each other when nothing is new. */
  const hasCaughtUp = async (): Promise<boolean> => {
    const [found] = await use(({ query }) =>
      query("SELECT seq = (SELECT coalesce(max(seq), 0) FROM events) AS yes FROM search_cursor"),
    );
    return found?.["yes"] === true;
  };

  return {
    position: async () => number((await use(({ query }) => query("SELECT seq FROM search_cursor")))[0]?.["seq"]),
    advance,
    restart: () =>
      use((connection) =>
        inTransaction(connection, async () => {
          await connection.query("UPDATE search_cursor SET seq = 0, id = ''");
          await connection.query("TRUNCATE search_docs");
        }),
      ),
    search: async (text, limit, kind) => {
      if (!(await hasCaughtUp())) while (!(await advance()).isAtEnd);
      const wanted = tsqueryOf(text);
      if (wanted === null) return [];
      const rows = await use((connection) =>
        connection.query(FIND, wanted, ...[kind, `${kind}/`, `${kind}0`].map((bound) => Buffer.from(bound)), limit),
      );
      return rows.map((row) => ({
        stream: utf8(row["stream"]),
        eventId: String(row["event"]),
        snippet: snippetOf(String(row["words"]), text),
      }));
    },
  };
}

/** Streams of a kind: named like it, or with its name and a slash as prefix. */
const FIND = `
  SELECT stream, event, words FROM search_docs
  WHERE found_by @@ $1::tsquery AND (stream = $2 OR stream >= $3 AND stream < $4) ORDER BY seq DESC LIMIT $5`;

/** The cursor of the index. An index of another log, for example after a restore, is emptied. */
async function foundAgain({ query }: Connection, seq: number, id: string): Promise<number> {
  if (seq === 0) return 0;
  const [found] = await query("SELECT id FROM events WHERE seq = $1", seq);
  if (found?.["id"] === id) return seq;
  await query("TRUNCATE search_docs");
  return 0;
}

async function take({ query }: Connection, defined: Definitions, events: readonly RecordedEvent[]): Promise<void> {
  const erased = new Set(events.filter(({ type }) => type === "data.erased@1").flatMap(erasedIds));
  if (erased.size > 0)
    await query("DELETE FROM search_docs WHERE event = ANY($1::uuid[])", uuidArray([...erased].filter(isUuid)));
  const docs = events.flatMap((event): readonly Doc[] => {
    const words = wordsIn(defined, event);
    return words === null || erased.has(event.id) ? [] : [{ event, words: textOf(words) }];
  });
  if (docs.length === 0) return;
  await query(
    `INSERT INTO search_docs(seq, stream, event, words, found_by)
     SELECT seq, stream, event, words, found_by::tsvector
     FROM unnest($1::bigint[], $2::bytea[], $3::uuid[], $4::text[], $5::text[]) AS d(seq, stream, event, words, found_by)
     ON CONFLICT (seq) DO NOTHING`,
    bigintArray(docs.map(({ event }) => event.seq)),
    byteaArray(docs.map(({ event }) => Buffer.from(event.stream))),
    uuidArray(docs.map(({ event }) => event.id)),
    textArray(docs.map(({ words }) => words)),
    textArray(docs.map(({ words }) => tsvectorOf(words))),
  );
}

/** PostgreSQL text cannot contain NUL. */
function textOf(words: string): string {
  return words.slice(0, WORDS_CHARS_MAX).replaceAll("\u0000", " ");
}

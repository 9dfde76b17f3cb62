import type { DatabaseSync } from "node:sqlite";
import { isUuid, type List } from "../../../kernel/index.ts";
import { bytes, decodeRow, EVENT_COLUMNS, EVENT_SOURCE, hexOf, idBytes, number, text } from "../../log/encoding.ts";
import type { CallEntry } from "../../log/write-request.ts";
import type { Snapshot } from "../../models/fold-events.ts";
import { NO_USAGE } from "../../models/quota.ts";
import { column, conditionsOf, orderOf } from "../../models/rows.ts";
import {
  type Cursor,
  type EventHash,
  type EventPage,
  type EventQuery,
  type RecordedEvent,
  type RowQuery,
  StoreError,
  type StreamUsage,
} from "../../port.ts";
import { checkedRow, selectRows } from "../tables/rows.ts";
import { createStatements } from "../tables/statements.ts";
import { createPager } from "./event-pages.ts";
import { nearestSnapshot } from "./fold-snapshots.ts";

/** Short reads for the main thread: points and pages. No read transaction outlives a page. */
export interface PageReads {
  readonly stream: (name: string, query: EventQuery) => EventPage;
  /** By version: after the first, up to and including the second. */
  readonly versions: (name: string, after: number, upTo: number, limit: number) => readonly RecordedEvent[];
  readonly all: (query: EventQuery) => EventPage;
  readonly event: (id: string) => RecordedEvent | null;
  readonly version: (name: string) => number;
  readonly seqAt: (name: string, version: number) => number;
  readonly lastSeq: () => number;
  readonly usage: (name?: string) => StreamUsage;
  readonly hashesAfter: (seq: number, limit: number) => readonly EventHash[];
  readonly between: (first: number, last: number) => readonly RecordedEvent[];
  readonly call: (key: string) => CallEntry | null;
  readonly snapshot: (name: string, atOrBefore: number) => Snapshot | null;
  readonly row: <Row>(list: List<Row>, id: string) => Row | null;
  readonly rows: <Row>(list: List<Row>, query: RowQuery) => readonly Row[];
  readonly count: (list: List, where: RowQuery["where"]) => number;
  readonly counts: (list: List, by: string, where: RowQuery["where"]) => { readonly [value: string]: number };
  readonly cursor: (name: string) => Cursor | null;
  readonly unfilledLists: () => readonly string[];
  /** Runs several reads on one state of the log. Keep it short: the write-ahead log cannot be emptied meanwhile. */
  readonly consistently: <T>(work: () => T) => T;
  /** Whether any event names the blob. */
  readonly isNamed: (blob: string) => boolean;
  /** How many events name the blob. */
  readonly namesOf: (blob: string) => number;
  /** Unused pages of the file. */
  readonly freePages: () => number;
}

export function createPageReads(db: DatabaseSync): PageReads {
  const sql = createStatements(db);
  const pager = createPager(sql);

  const streamNo = (name: string): number => {
    const found = sql("SELECT no FROM streams WHERE name = ?").get(name);
    return found === undefined ? 0 : number(found["no"]);
  };
  const lastVersion = (no: number, name: string): number => {
    if (no === 0) return 0;
    const version = sql("SELECT max(version) AS version FROM events WHERE stream = ?").get(no)?.["version"];
    // A stream is created with its first event, so one without events has lost them.
    if (version === null) throw new StoreError("log_corrupt", { stream: name, version: 1, problem: "missing" });
    return number(version);
  };
  const lastSeq = (): number => number(sql("SELECT coalesce(max(seq), 0) AS seq FROM events").get()?.["seq"]);

  return {
    stream: (name, query) => {
      const no = streamNo(name);
      return no === 0 ? { events: [], next: null } : pager.stream({ no, name, last: lastVersion(no, name) }, query);
    },
    versions: (name, after, upTo, limit) => {
      const no = streamNo(name);
      return no === 0 ? [] : pager.versions({ no, name, last: lastVersion(no, name) }, after, upTo, limit);
    },
    all: (query) => pager.all(lastSeq(), query),
    event: (id) => {
      if (!isUuid(id)) return null;
      const row = sql(`SELECT ${EVENT_COLUMNS} FROM ${EVENT_SOURCE} WHERE e.id = ?`).get(idBytes(id));
      if (row === undefined) return null;
      const found = decodeRow(row);
      // The index pointed to another event, so the index is wrong.
      if (found.id !== id) throw new StoreError("log_corrupt", { id, seq: found.seq, problem: "id_mismatch" });
      return found;
    },
    version: (name) => lastVersion(streamNo(name), name),
    seqAt: (name, version) => {
      const found = sql("SELECT seq FROM events WHERE stream = ? AND version = ?").get(streamNo(name), version);
      if (found === undefined) throw new StoreError("event_not_found", { stream: name, version });
      return number(found["seq"]);
    },
    lastSeq,
    usage: (name) => {
      const no = name === undefined ? 0 : streamNo(name);
      const row =
        name !== undefined && no === 0
          ? undefined
          : sql(
              "SELECT u.events, u.bytes, u.blob_bytes, a.family_bytes FROM usage u LEFT JOIN usage a ON a.stream = u.account WHERE u.stream = ?",
            ).get(no);
      if (row === undefined) return { ...NO_USAGE, familyBytes: 0 };
      return {
        events: number(row["events"]),
        bytes: number(row["bytes"]),
        blobBytes: number(row["blob_bytes"]),
        familyBytes: number(row["family_bytes"] ?? 0),
      };
    },
    hashesAfter: (seq, limit) =>
      sql("SELECT seq, hash FROM events WHERE seq > ? ORDER BY seq LIMIT ?")
        .all(seq, limit)
        .map((row, at) => {
          const expected = seq + at + 1;
          if (row["seq"] !== expected) throw new StoreError("log_corrupt", { seq: expected, problem: "missing" });
          return { seq: expected, hash: bytes(row["hash"]) };
        }),
    between: (first, last) =>
      sql(`SELECT ${EVENT_COLUMNS} FROM ${EVENT_SOURCE} WHERE e.seq BETWEEN ? AND ? ORDER BY e.seq`)
        .all(first, last)
        .map(decodeRow),
    call: (key) => {
      const row = sql("SELECT request, first, last FROM calls WHERE key = ?").get(Buffer.from(key, "hex"));
      if (row === undefined) return null;
      return { key, request: hexOf(bytes(row["request"])), first: number(row["first"]), last: number(row["last"]) };
    },
    snapshot: (name, atOrBefore) => nearestSnapshot(sql, streamNo(name), atOrBefore),
    row: (list, id) => {
      const row = sql(`${selectRows(list)} WHERE id = ?`).get(id);
      return row === undefined ? null : checkedRow(list, row);
    },
    rows: (list, query) => {
      const { where, given } = whereOf(list, query);
      return sql(`${selectRows(list)}${where} ORDER BY ${orderOf(list, query)} LIMIT ?`)
        .all(...given, query.limit)
        .map((row) => checkedRow(list, row));
    },
    count: (list, wanted) => {
      const { where, given } = whereOf(list, { limit: 0, ...(wanted === undefined ? {} : { where: wanted }) });
      return number(sql(`SELECT count(*) AS found FROM "${list.table}"${where}`).get(...given)?.["found"]);
    },
    counts: (list, by, wanted) => {
      const { where, given } = whereOf(list, { limit: 0, ...(wanted === undefined ? {} : { where: wanted }) });
      const value = column(list, by);
      const found = sql(`SELECT ${value} AS value, count(*) AS found FROM "${list.table}"${where} GROUP BY 1`).all(
        ...given,
      );
      return Object.fromEntries(found.map((row) => [String(row["value"]), number(row["found"])]));
    },
    unfilledLists: () =>
      sql("SELECT name FROM lists WHERE filled = 0")
        .all()
        .map((row) => text(row["name"])),
    cursor: (name) => {
      const row = sql("SELECT seq, id FROM cursors WHERE name = ?").get(name);
      return row === undefined ? null : { seq: number(row["seq"]), id: text(row["id"]) };
    },
    consistently: (work) => {
      sql("BEGIN").get();
      try {
        return work();
      } finally {
        sql("COMMIT").get();
      }
    },
    isNamed: (blob) => sql("SELECT 1 AS named FROM event_blobs WHERE blob = ? LIMIT 1").get(blob) !== undefined,
    namesOf: (blob) => number(sql("SELECT count(*) AS names FROM event_blobs WHERE blob = ?").get(blob)?.["names"]),
    freePages: () => number(sql("PRAGMA freelist_count").get()?.["freelist_count"]),
  };
}

function whereOf(
  list: List,
  query: RowQuery,
): { readonly where: string; readonly given: readonly (string | number)[] } {
  const given: (string | number)[] = [];
  const conditions = conditionsOf(list, query, (value) => {
    given.push(value);
    return "?";
  });
  return { where: conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`, given };
}

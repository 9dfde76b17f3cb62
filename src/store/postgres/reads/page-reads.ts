import { isUuid, type List } from "../../../kernel/index.ts";
import { bytes, EVENT_COLUMNS, EVENT_SOURCE, hexOf, number } from "../../log/encoding.ts";
import type { StreamPlace } from "../../log/event-page.ts";
import type { CallEntry } from "../../log/write-request.ts";
import type { Snapshot } from "../../models/fold-events.ts";
import { column, conditionsOf, orderOf } from "../../models/rows.ts";
import {
  type Cursor,
  type EventHash,
  type EventPage,
  type EventQuery,
  type RecordedEvent,
  type RowQuery,
  StoreError,
  type StoreFiles,
  type StreamUsage,
} from "../../port.ts";
import type { Given } from "../connection/connection.ts";
import { decodeEvent } from "../connection/decode.ts";
import { checkedRow, nameOf, selectRows } from "../tables/rows.ts";
import { usageOf } from "../writer/known.ts";
import { createPager, type Sql } from "./event-pages.ts";
import { nearestSnapshot } from "./fold-snapshots.ts";

/** Point reads and pages. Each is its own transaction. */
export interface PageReads {
  readonly stream: (name: string, query: EventQuery) => Promise<EventPage>;
  /** By version: after the first, up to and including the second. */
  readonly versions: (name: string, after: number, upTo: number, limit: number) => Promise<readonly RecordedEvent[]>;
  readonly all: (query: EventQuery) => Promise<EventPage>;
  readonly event: (id: string) => Promise<RecordedEvent | null>;
  readonly version: (name: string) => Promise<number>;
  readonly seqAt: (name: string, version: number) => Promise<number>;
  readonly lastSeq: () => Promise<number>;
  readonly usage: (name?: string) => Promise<StreamUsage>;
  readonly hashesAfter: (seq: number, limit: number) => Promise<readonly EventHash[]>;
  readonly between: (first: number, last: number) => Promise<readonly RecordedEvent[]>;
  readonly call: (key: string) => Promise<CallEntry | null>;
  readonly snapshot: (name: string, atOrBefore: number) => Promise<Snapshot | null>;
  readonly row: <Row>(list: List<Row>, id: string) => Promise<Row | null>;
  readonly rows: <Row>(list: List<Row>, query: RowQuery) => Promise<readonly Row[]>;
  readonly count: (list: List, where: RowQuery["where"]) => Promise<number>;
  readonly counts: (list: List, by: string, where: RowQuery["where"]) => Promise<{ readonly [value: string]: number }>;
  readonly files: () => Promise<StoreFiles>;
  readonly cursor: (name: string) => Promise<Cursor | null>;
  readonly unfilledLists: () => Promise<readonly string[]>;
}

const FILES = `
  SELECT coalesce(sum(pg_total_relation_size(c.oid)) FILTER (WHERE c.relname NOT LIKE 'search%'), 0)::bigint AS log,
    coalesce(sum(pg_total_relation_size(c.oid)) FILTER (WHERE c.relname LIKE 'search%'), 0)::bigint AS search
  FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'`;

export function createPageReads(sql: Sql): PageReads {
  const pager = createPager(sql);

  const place = async (name: string): Promise<StreamPlace> => {
    const [found] = await sql(
      "SELECT s.no, (SELECT max(version) FROM events e WHERE e.stream = s.no) AS last FROM streams s WHERE s.name = $1",
      Buffer.from(name),
    );
    if (found === undefined) return { no: 0, name, last: 0 };
    // A stream is created with its first event, so one without events has lost them.
    if (found["last"] === null) throw new StoreError("log_corrupt", { stream: name, version: 1, problem: "missing" });
    return { no: number(found["no"]), name, last: number(found["last"]) };
  };
  const lastSeq = async (): Promise<number> => {
    const [found] = await sql("SELECT coalesce(max(seq), 0) AS seq FROM events");
    return number(found?.["seq"]);
  };

  return {
    stream: async (name, query) => pager.stream(await place(name), query),
    versions: async (name, after, upTo, limit) => pager.versions(await place(name), after, upTo, limit),
    all: async (query) => pager.all(await lastSeq(), query),
    event: async (id) => {
      if (!isUuid(id)) return null;
      const [row] = await sql(`SELECT ${EVENT_COLUMNS} FROM ${EVENT_SOURCE} WHERE e.id = $1`, id);
      if (row === undefined) return null;
      const found = decodeEvent(row);
      // The index pointed to another event, so the index is wrong.
      if (found.id !== id) throw new StoreError("log_corrupt", { id, seq: found.seq, problem: "id_mismatch" });
      return found;
    },
    version: async (name) => (await place(name)).last,
    seqAt: async (name, version) => {
      const [found] = await sql(
        "SELECT e.seq FROM streams s JOIN events e ON e.stream = s.no WHERE s.name = $1 AND e.version = $2",
        Buffer.from(name),
        version,
      );
      if (found === undefined) throw new StoreError("event_not_found", { stream: name, version });
      return number(found["seq"]);
    },
    lastSeq,
    usage: async (name) => {
      const columns =
        "SELECT u.events, u.bytes, u.blob_bytes, a.family_bytes FROM usage u LEFT JOIN usage a ON a.stream = u.account";
      const [row] =
        name === undefined
          ? await sql(`${columns} WHERE u.stream = 0`)
          : await sql(`${columns} JOIN streams s ON s.no = u.stream WHERE s.name = $1`, Buffer.from(name));
      return { ...usageOf(row), familyBytes: number(row?.["family_bytes"] ?? 0) };
    },
    hashesAfter: async (seq, limit) => {
      const rows = await sql(
        "SELECT seq, hash FROM events WHERE seq > $1 AND seq <= $2 ORDER BY seq",
        seq,
        seq + limit,
      );
      return rows.map((row, at) => {
        const expected = seq + at + 1;
        if (row["seq"] !== expected) throw new StoreError("log_corrupt", { seq: expected, problem: "missing" });
        return { seq: expected, hash: bytes(row["hash"]) };
      });
    },
    between: async (first, last) => {
      const rows = await sql(
        `SELECT ${EVENT_COLUMNS} FROM ${EVENT_SOURCE} WHERE e.seq BETWEEN $1 AND $2 ORDER BY e.seq`,
        first,
        last,
      );
      return rows.map(decodeEvent);
    },
    call: async (key) => {
      const [row] = await sql("SELECT request, first, last FROM calls WHERE key = $1", Buffer.from(key, "hex"));
      if (row === undefined) return null;
      return { key, request: hexOf(bytes(row["request"])), first: number(row["first"]), last: number(row["last"]) };
    },
    snapshot: (name, atOrBefore) => nearestSnapshot(sql, name, atOrBefore),
    row: async (list, id) => {
      const [found] = await sql(`${selectRows(list)} WHERE id = $1`, Buffer.from(id));
      return found === undefined ? null : checkedRow(list, found);
    },
    rows: async (list, query) => {
      const { where, given } = whereOf(list, query);
      const found = await sql(
        `${selectRows(list)}${where} ORDER BY ${orderOf(list, query)} LIMIT $${given.length + 1}`,
        ...given,
        query.limit,
      );
      return found.map((row) => checkedRow(list, row));
    },
    count: async (list, wanted) => {
      const { where, given } = whereOf(list, { limit: 0, ...(wanted === undefined ? {} : { where: wanted }) });
      const [found] = await sql(`SELECT count(*) AS found FROM "${list.table}"${where}`, ...given);
      return number(found?.["found"]);
    },
    counts: async (list, by, wanted) => {
      const { where, given } = whereOf(list, { limit: 0, ...(wanted === undefined ? {} : { where: wanted }) });
      const value = column(list, by);
      const found = await sql(
        `SELECT ${value} AS value, count(*) AS found FROM "${list.table}"${where} GROUP BY 1`,
        ...given,
      );
      return Object.fromEntries(found.map((row) => [nameOf(row["value"]), number(row["found"])]));
    },
    files: async () => {
      const [found] = await sql(FILES);
      return { databaseBytes: number(found?.["log"]), searchBytes: number(found?.["search"]) };
    },
    unfilledLists: async () => (await sql("SELECT name FROM lists WHERE filled = 0")).map((row) => String(row["name"])),
    cursor: async (name) => {
      const [row] = await sql("SELECT seq, id FROM cursors WHERE name = $1", name);
      return row === undefined ? null : { seq: number(row["seq"]), id: String(row["id"]) };
    },
  };
}

function whereOf(list: List, query: RowQuery): { readonly where: string; readonly given: readonly Given[] } {
  const given: Given[] = [];
  const conditions = conditionsOf(list, query, (value) => {
    given.push(typeof value === "string" ? Buffer.from(value) : value);
    return `$${given.length}`;
  });
  return { where: conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`, given };
}

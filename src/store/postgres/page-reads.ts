import { isUuid, type Model } from "../../kernel/index.ts";
import { bytes, EVENT_COLUMNS, EVENT_SOURCE, hexOf, number } from "../encoding.ts";
import type { StreamPlace } from "../event-page.ts";
import type { Snapshot } from "../folding.ts";
import {
  type Census,
  type Cursor,
  type EventHash,
  type EventPage,
  type EventQuery,
  type RecordedEvent,
  type RowQuery,
  StoreError,
  type StoreFiles,
  type StreamUsage,
} from "../port.ts";
import { MODELS } from "../rows.ts";
import type { CallEntry } from "../write-request.ts";
import type { Given, Row } from "./connection.ts";
import { decodeEvent, utf8 } from "./decode.ts";
import { createPager, type Sql } from "./event-pages.ts";
import { usageOf } from "./known.ts";
import { checkedRow } from "./rows.ts";
import { nearestSnapshot } from "./snapshots.ts";

/** Point reads and pages. No transaction outlives one of them. */
export interface PageReads {
  readonly stream: (name: string, query: EventQuery) => Promise<EventPage>;
  /** By version instead of position: after the first, up to and with the second. */
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
  readonly row: (model: Model, id: string) => Promise<string | null>;
  readonly rows: (model: Model, query: RowQuery) => Promise<readonly string[]>;
  readonly sessionIdsLike: (nameOrPrefix: string) => Promise<readonly string[]>;
  readonly liveSessions: () => Promise<number>;
  readonly files: () => Promise<StoreFiles>;
  readonly census: () => Promise<Census>;
  readonly cursor: (name: string) => Promise<Cursor | null>;
  readonly tokenBySecretHash: (secretHash: string) => Promise<string | null>;
}

const FILES = `
  SELECT coalesce(sum(pg_total_relation_size(c.oid)) FILTER (WHERE c.relname NOT LIKE 'search%'), 0)::bigint AS log,
    coalesce(sum(pg_total_relation_size(c.oid)) FILTER (WHERE c.relname LIKE 'search%'), 0)::bigint AS search
  FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'`;
const CENSUS = `
  SELECT r.row->>'state' AS state, count(*) AS sessions, sum((r.row->>'queued')::bigint)::bigint AS queued
  FROM (SELECT convert_from(row, 'UTF8')::json AS row FROM sessions WHERE shown = 1) r GROUP BY 1`;

export function createPageReads(sql: Sql): PageReads {
  const pager = createPager(sql);

  const place = async (name: string): Promise<StreamPlace> => {
    const [found] = await sql(
      "SELECT s.no, (SELECT max(version) FROM events e WHERE e.stream = s.no) AS last FROM streams s WHERE s.name = $1",
      Buffer.from(name),
    );
    if (found === undefined) return { no: 0, name, last: 0 };
    // A stream is made with its first event: one that seems to have none has lost them.
    if (found["last"] === null) throw new StoreError("log_corrupt", { stream: name, version: 1, problem: "missing" });
    return { no: number(found["no"]), name, last: number(found["last"]) };
  };
  const lastSeq = async (): Promise<number> => {
    const [found] = await sql("SELECT coalesce(max(seq), 0) AS seq FROM events");
    return number(found?.["seq"]);
  };
  const oneRow = async (model: Model, where: string, given: Given): Promise<string | null> => {
    const [found] = await sql(`SELECT id, row, sum FROM ${MODELS[model].table} WHERE ${where} = $1`, given);
    return found === undefined ? null : checkedRow(model, found);
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
      // The index led to another event: it is the index that is wrong.
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
    row: (model, id) => oneRow(model, "id", Buffer.from(id)),
    rows: async (model, query) => {
      const { where, given } = rowFilter(model, query);
      const order = model === "session" ? "DESC" : "ASC";
      const rows = await sql(
        `SELECT id, row, sum FROM ${MODELS[model].table} WHERE ${where} ORDER BY id ${order} LIMIT $${given.length + 1}`,
        ...given,
        query.limit,
      );
      return rows.map((row: Row) => checkedRow(model, row));
    },
    sessionIdsLike: async (nameOrPrefix) => {
      const rows = await sql(
        `SELECT id FROM sessions WHERE name = $1 AND shown = 1 UNION
         SELECT id FROM sessions WHERE id >= $1 AND id < $2 AND shown = 1 ORDER BY id LIMIT 2`,
        Buffer.from(nameOrPrefix),
        Buffer.from(`${nameOrPrefix}g`),
      );
      return rows.map((row) => utf8(row["id"]));
    },
    liveSessions: async () => number((await sql("SELECT count(*) AS live FROM sessions WHERE alive = 1"))[0]?.["live"]),
    files: async () => {
      const [found] = await sql(FILES);
      return { databaseBytes: number(found?.["log"]), searchBytes: number(found?.["search"]) };
    },
    census: async () => {
      const states = await sql(CENSUS);
      const [pending] = await sql(
        "SELECT count(*) AS pending FROM approvals WHERE status = $1",
        Buffer.from("pending"),
      );
      return {
        sessions: Object.fromEntries(states.map((row) => [String(row["state"]), number(row["sessions"])])),
        queuedTurns: states.reduce((total, row) => total + number(row["queued"]), 0),
        pendingApprovals: number(pending?.["pending"]),
      };
    },
    cursor: async (name) => {
      const [row] = await sql("SELECT seq, id FROM cursors WHERE name = $1", name);
      return row === undefined ? null : { seq: number(row["seq"]), id: String(row["id"]) };
    },
    tokenBySecretHash: (secretHash) => oneRow("token", "secret", Buffer.from(secretHash)),
  };
}

function rowFilter(model: Model, query: RowQuery): { readonly where: string; readonly given: readonly Buffer[] } {
  const given: Buffer[] = [];
  const param = (text: string): string => `$${given.push(Buffer.from(text))}`;
  const parts = ["true"];
  if (query.after !== undefined) parts.push(`id ${model === "session" ? "<" : ">"} ${param(query.after)}`);
  if (model === "session" && query.active === true) parts.push("active = 1");
  else if (model === "session") {
    if (query.open === true) parts.push("alive = 1");
    if (query.all !== true) parts.push("shown = 1");
  }
  if (model === "session" && query.workspace !== undefined) parts.push(`workspace = ${param(query.workspace)}`);
  if (model === "approval" && query.open === true) parts.push("status = 'pending'::bytea");
  if (model === "approval" && query.sessionId !== undefined) parts.push(`session = ${param(query.sessionId)}`);
  return { where: parts.join(" AND "), given };
}

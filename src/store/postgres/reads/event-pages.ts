import { EVENT_COLUMNS, EVENT_SOURCE, number } from "../../log/encoding.ts";
import {
  fillPage,
  type LogRange,
  logRange,
  missingVersion,
  PAGE_BYTES_MAX,
  planPage,
  SCAN_MAX,
  type StreamPlace,
  turnSieve,
  typeBounds,
} from "../../log/event-page.ts";
import type { EventPage, EventQuery, RecordedEvent } from "../../port.ts";
import type { Given, Row } from "../connection/connection.ts";
import { decodeEvent } from "../connection/decode.ts";

/**
 * Pages of events. Positions (`seq` in the log, `version` in a stream) have no gaps, so each page knows which events it
 * must find. A missing one is reported, never skipped.
 */
export interface Pager {
  readonly all: (lastSeq: number, query: EventQuery) => Promise<EventPage>;
  readonly stream: (stream: StreamPlace, query: EventQuery) => Promise<EventPage>;
  readonly versions: (
    stream: StreamPlace,
    after: number,
    upTo: number,
    limit: number,
  ) => Promise<readonly RecordedEvent[]>;
}

export type Sql = (text: string, ...given: readonly Given[]) => Promise<readonly Row[]>;

export function createPager(sql: Sql): Pager {
  const seqAt = async (stream: StreamPlace, version: number): Promise<number> => {
    const [found] = await sql("SELECT seq FROM events WHERE stream = $1 AND version = $2", stream.no, version);
    if (found === undefined) throw missingVersion(stream, version);
    return number(found["seq"]);
  };

  /** The version of the stream's last event at or before a seq. Binary search, because both only rise. */
  const versionAt = async (stream: StreamPlace, seq: number): Promise<number> => {
    if (seq <= 0 || stream.last === 0) return 0;
    const [found] = await sql(HALVING, stream.no, seq, stream.last);
    const low = number(found?.["low"]);
    if (low + 1 < number(found?.["high"])) throw missingVersion(stream);
    return low;
  };

  const page = async (whole: LogRange, query: EventQuery): Promise<EventPage> => {
    const plan = planPage(whole, query);
    if (plan === null) return { events: [], next: null };
    const { events, next } = fillPage(plan, query, await rowsOf(plan.part, query), decodeEvent);
    if (next === null) return { events, next };
    return { events, next: "seq" in next ? next.seq : await seqAt(next.of, next.version) };
  };

  /** Reads at most one page. PostgreSQL knows the size of the data without reading it. */
  const rowsOf = (part: LogRange, query: EventQuery): Promise<readonly Row[]> => {
    const given: Given[] = [];
    const param = (value: Given): string => `$${given.push(value)}`;
    const column = part.of === null ? "e.seq" : "e.version";
    const order = `${column} ${query.descending === true ? "DESC" : "ASC"}`;
    const filters = [`${column} BETWEEN ${param(part.from)} AND ${param(part.to)}`];
    if (part.of !== null) filters.push(`e.stream = ${param(part.of.no)}`);
    if (query.types !== undefined) {
      const text = (bound: string): string => param(Buffer.from(bound));
      const bounds = query.types.map(typeBounds);
      const oneOf = bounds.map(([low, high]) => `(e.type >= ${text(low)} AND e.type < ${text(high)})`);
      filters.push(`(${oneOf.join(" OR ") || "false"})`);
    }
    if (query.turnId !== undefined) filters.push(`position(${param(turnSieve(query.turnId))}::bytea IN e.data) > 0`);
    const limit = query.turnId === undefined ? query.limit : SCAN_MAX;
    return sql(
      `SELECT * FROM (
         SELECT ${EVENT_COLUMNS}, sum(octet_length(e.data)) OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
         FROM ${EVENT_SOURCE} WHERE ${filters.join(" AND ")} ORDER BY ${order} LIMIT ${param(limit)}
       ) e WHERE coalesce(e.before, 0) < ${PAGE_BYTES_MAX} ORDER BY ${order}`,
      ...given,
    );
  };

  return {
    all: (lastSeq, query) => page(logRange(lastSeq, query), query),
    stream: async (stream, query) => {
      const from = (await versionAt(stream, query.after ?? 0)) + 1;
      const to = query.before === undefined ? stream.last : await versionAt(stream, query.before - 1);
      return page({ from, to, of: stream }, query);
    },
    versions: async (stream, after, upTo, limit) =>
      (await page({ from: after + 1, to: Math.min(upTo, stream.last), of: stream }, { limit })).events,
  };
}

/** `low` is at or before the position, `high` is after it. If an event is missing, they never meet. */
const HALVING = `
  WITH RECURSIVE halves(low, high) AS (
    SELECT 0::bigint, $3::bigint + 1
    UNION ALL
    SELECT CASE WHEN e.seq <= $2 THEN e.version ELSE low END, CASE WHEN e.seq <= $2 THEN high ELSE e.version END
    FROM halves JOIN events e ON e.stream = $1 AND e.version = (low + high) / 2 WHERE low + 1 < high)
  SELECT low, high FROM halves ORDER BY high - low LIMIT 1`;

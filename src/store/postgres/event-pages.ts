import { bytes, EVENT_COLUMNS, EVENT_SOURCE, number } from "../encoding.ts";
import { type EventPage, type EventQuery, type RecordedEvent, StoreError } from "../port.ts";
import type { Given, Row } from "./connection.ts";
import { decodeEvent } from "./decode.ts";

/**
 * Pages of events. Positions (`seq` in the log, `version` in a stream) have no gaps, so that every page knows which
 * events it must find: one that is missing is named, never passed over.
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

export interface StreamPlace {
  readonly no: number;
  readonly name: string;
  /** The version of its last event. */
  readonly last: number;
}

export type Sql = (text: string, ...given: readonly Given[]) => Promise<readonly Row[]>;

/** A filter that finds little may not read for ever: a page looks at no more events than this. */
const SCAN_MAX = 5000;
/** Nor may large events make a page that does not fit into memory. */
const PAGE_BYTES_MAX = 8 * 1024 * 1024;

/** A stretch of positions, both ends included, in the log or in one stream. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly of: StreamPlace | null;
}

export function createPager(sql: Sql): Pager {
  const seqAt = async (stream: StreamPlace, version: number): Promise<number> => {
    const [found] = await sql("SELECT seq FROM events WHERE stream = $1 AND version = $2", stream.no, version);
    if (found === undefined) throw new StoreError("log_corrupt", { stream: stream.name, version, problem: "missing" });
    return number(found["seq"]);
  };

  /** The version of the stream's last event at or before a global position: found by halving, since both only rise. */
  const versionAt = async (stream: StreamPlace, seq: number): Promise<number> => {
    if (seq <= 0 || stream.last === 0) return 0;
    const [found] = await sql(HALVING, stream.no, seq, stream.last);
    const low = number(found?.["low"]);
    if (low + 1 < number(found?.["high"]))
      throw new StoreError("log_corrupt", { stream: stream.name, problem: "missing" });
    return low;
  };

  const page = async (whole: Stretch, query: EventQuery): Promise<EventPage> => {
    if (whole.from > whole.to || query.limit <= 0) return { events: [], next: null };
    const isFiltered = query.types !== undefined || query.turnId !== undefined;
    const scan = isFiltered ? SCAN_MAX : query.limit;
    const descending = query.descending === true;
    const part = descending
      ? { ...whole, from: Math.max(whole.from, whole.to - scan + 1) }
      : { ...whole, to: Math.min(whole.to, whole.from + scan - 1) };
    const end = descending ? part.from : part.to;
    const isEnd = end === (descending ? whole.from : whole.to);

    const events: RecordedEvent[] = [];
    let expected = descending ? part.to : part.from;
    let size = 0;
    for (const row of await rowsOf(part, query)) {
      const position = number(row[part.of === null ? "seq" : "version"]);
      if (!isFiltered && position !== expected) throw missing(part, expected);
      expected = position + (descending ? -1 : 1);
      size += row["data"] === null ? 0 : bytes(row["data"]).length;
      const event = decodeEvent(row);
      if (query.turnId === undefined || turnOf(event) === query.turnId) events.push(event);
      const isFull = events.length === query.limit || size >= PAGE_BYTES_MAX;
      if (isFull && !(position === end && isEnd)) return { events, next: event.seq };
    }
    if (!isFiltered && expected !== end + (descending ? -1 : 1)) throw missing(part, expected);
    if (isEnd) return { events, next: null };
    return { events, next: part.of === null ? end : await seqAt(part.of, end) };
  };

  /** Only as many as a page may hold; how large the data is, PostgreSQL knows without reading it. */
  const rowsOf = (part: Stretch, query: EventQuery): Promise<readonly Row[]> => {
    const given: Given[] = [];
    const param = (value: Given): string => `$${given.push(value)}`;
    const column = part.of === null ? "e.seq" : "e.version";
    const order = `${column} ${query.descending === true ? "DESC" : "ASC"}`;
    const filters = [`${column} BETWEEN ${param(part.from)} AND ${param(part.to)}`];
    if (part.of !== null) filters.push(`e.stream = ${param(part.of.no)}`);
    if (query.types !== undefined) {
      const bounds = query.types.map(typeBounds);
      const oneOf = bounds.map(([low, high]) => `(e.type >= ${param(low)} AND e.type < ${param(high)})`);
      filters.push(`(${oneOf.join(" OR ") || "false"})`);
    }
    // Only the first sieve: what it lets through is read and asked again.
    if (query.turnId !== undefined)
      filters.push(`position(${param(Buffer.from(`"turnId":${JSON.stringify(query.turnId)}`))}::bytea IN e.data) > 0`);
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
    all: (lastSeq, query) => {
      const from = Math.max(query.after ?? 0, 0) + 1;
      const to = Math.min(query.before ?? Number.MAX_SAFE_INTEGER, lastSeq + 1) - 1;
      return page({ from, to, of: null }, query);
    },
    stream: async (stream, query) => {
      const from = (await versionAt(stream, query.after ?? 0)) + 1;
      const to = query.before === undefined ? stream.last : await versionAt(stream, query.before - 1);
      return page({ from, to, of: stream }, query);
    },
    versions: async (stream, after, upTo, limit) =>
      (await page({ from: after + 1, to: Math.min(upTo, stream.last), of: stream }, { limit })).events,
  };
}

/** `low` is at or before the position, `high` is behind it; where an event is missing they never meet. */
const HALVING = `
  WITH RECURSIVE halves(low, high) AS (
    SELECT 0::bigint, $3::bigint + 1
    UNION ALL
    SELECT CASE WHEN e.seq <= $2 THEN e.version ELSE low END, CASE WHEN e.seq <= $2 THEN high ELSE e.version END
    FROM halves JOIN events e ON e.stream = $1 AND e.version = (low + high) / 2 WHERE low + 1 < high)
  SELECT low, high FROM halves ORDER BY high - low LIMIT 1`;

function missing(part: Stretch, position: number): StoreError {
  const place = part.of === null ? { seq: position } : { stream: part.of.name, version: position };
  return new StoreError("log_corrupt", { ...place, problem: "missing" });
}

/** `turn.ended` stands for all its versions: all texts that begin with `turn.ended@`, and `A` comes behind `@`. */
function typeBounds(wanted: string): readonly [Buffer, Buffer] {
  const [low, high] = wanted.includes("@") ? [wanted, `${wanted}\u0000`] : [`${wanted}@`, `${wanted}A`];
  return [Buffer.from(low), Buffer.from(high)];
}

function turnOf(event: RecordedEvent): unknown {
  return typeof event.data === "object" && event.data !== null && "turnId" in event.data ? event.data["turnId"] : null;
}

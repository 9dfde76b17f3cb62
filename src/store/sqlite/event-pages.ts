import type { SQLInputValue } from "node:sqlite";
import { bytes, decodeRow, EVENT_COLUMNS, EVENT_SOURCE, number } from "../encoding.ts";
import { type EventPage, type EventQuery, type RecordedEvent, StoreError } from "../port.ts";
import type { Row, Statement } from "./statements.ts";

/**
 * Pages of events. Positions (`seq` in the log, `version` in a stream) have no gaps, so that every page knows which
 * events it must find: one that is missing is named, never passed over.
 */
export interface Pager {
  readonly all: (lastSeq: number, query: EventQuery) => EventPage;
  readonly stream: (stream: StreamPlace, query: EventQuery) => EventPage;
  readonly versions: (stream: StreamPlace, after: number, upTo: number, limit: number) => readonly RecordedEvent[];
}

export interface StreamPlace {
  readonly no: number;
  readonly name: string;
  /** The version of its last event. */
  readonly last: number;
}

/** A filter that finds little may not read for ever: a page looks at no more events than this. */
const SCAN_MAX = 5000;
/** Nor may large events make a page that does not fit into memory. */
const PAGE_BYTES_MAX = 8 * 1024 * 1024;

/** So many rows are asked for in one call, which costs less than one by one; few enough to fit when all are large. */
const ROWS_AT_ONCE = 32;

/** A stretch of positions, both ends included, in the log or in one stream. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly of: StreamPlace | null;
}

export function createPager(sql: (source: string) => Statement): Pager {
  const seqAt = (stream: StreamPlace, version: number): number => {
    const found = sql("SELECT seq FROM events WHERE stream = ? AND version = ?").get(stream.no, version);
    if (found === undefined) throw new StoreError("log_corrupt", { stream: stream.name, version, problem: "missing" });
    return number(found["seq"]);
  };

  /** The version of the stream's last event at or before a global position: found by halving, since both only rise. */
  const versionAt = (stream: StreamPlace, seq: number): number => {
    let low = 0;
    let high = stream.last;
    if (seq <= 0 || high === 0) return 0;
    if (seqAt(stream, high) <= seq) return high;
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (seqAt(stream, middle) <= seq) low = middle;
      else high = middle;
    }
    return low;
  };

  const page = (whole: Stretch, query: EventQuery): EventPage => {
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
    for (const row of rowsOf(part, query)) {
      const position = number(row[part.of === null ? "seq" : "version"]);
      if (!isFiltered && position !== expected) throw missing(part, expected);
      expected = position + (descending ? -1 : 1);
      size += row["data"] === null ? 0 : bytes(row["data"]).length;
      const event = decodeRow(row);
      if (query.turnId === undefined || turnOf(event) === query.turnId) events.push(event);
      const isFull = events.length === query.limit || size >= PAGE_BYTES_MAX;
      if (isFull && !(position === end && isEnd)) return { events, next: event.seq };
    }
    if (!isFiltered && expected !== end + (descending ? -1 : 1)) throw missing(part, expected);
    if (isEnd) return { events, next: null };
    return { events, next: part.of === null ? end : seqAt(part.of, end) };
  };

  const rowsOf = (part: Stretch, query: EventQuery): Iterable<Row> => {
    const column = part.of === null ? "seq" : "version";
    const order = query.descending === true ? "DESC" : "ASC";
    const filters: string[] = [];
    const given: SQLInputValue[] = part.of === null ? [] : [part.of.no];
    if (query.types !== undefined) {
      filters.push(` AND (${query.types.map(() => "(e.type >= ? AND e.type < ?)").join(" OR ") || "0"})`);
      given.push(...query.types.flatMap(typeBounds));
    }
    if (query.turnId !== undefined) {
      // Only the first sieve: what it lets through is read and asked again.
      filters.push(" AND instr(e.data, ?) > 0");
      given.push(Buffer.from(`"turnId":${JSON.stringify(query.turnId)}`));
    }
    const place = part.of === null ? "" : " AND e.stream = ?";
    const rows = sql(
      `SELECT ${EVENT_COLUMNS} FROM ${EVENT_SOURCE} WHERE e.${column} BETWEEN ? AND ?${place}${filters.join("")} ORDER BY e.${column} ${order}`,
    );
    if (filters.length > 0) return rows.each(part.from, part.to, ...given);
    return inPortions(part, query.descending === true, (from, to) => rows.all(from, to, ...given));
  };

  const all: Pager["all"] = (lastSeq, query) => {
    const from = Math.max(query.after ?? 0, 0) + 1;
    const to = Math.min(query.before ?? Number.MAX_SAFE_INTEGER, lastSeq + 1) - 1;
    return page({ from, to, of: null }, query);
  };

  return {
    all,
    stream: (stream, query) => {
      const from = versionAt(stream, query.after ?? 0) + 1;
      const to = query.before === undefined ? stream.last : versionAt(stream, query.before - 1);
      return page({ from, to, of: stream }, query);
    },
    versions: (stream, after, upTo, limit) =>
      page({ from: after + 1, to: Math.min(upTo, stream.last), of: stream }, { limit }).events,
  };
}

function* inPortions(
  { from, to }: Stretch,
  descending: boolean,
  read: (from: number, to: number) => readonly Row[],
): Iterable<Row> {
  for (let done = 0; from + done <= to; done += ROWS_AT_ONCE) {
    const portion = Math.min(ROWS_AT_ONCE, to - from - done + 1);
    if (descending) yield* read(to - done - portion + 1, to - done);
    else yield* read(from + done, from + done + portion - 1);
  }
}

function missing(part: Stretch, position: number): StoreError {
  const place = part.of === null ? { seq: position } : { stream: part.of.name, version: position };
  return new StoreError("log_corrupt", { ...place, problem: "missing" });
}

/** `turn.ended` stands for all its versions: all texts that begin with `turn.ended@`, and `A` comes behind `@`. */
function typeBounds(wanted: string): readonly string[] {
  return wanted.includes("@") ? [wanted, `${wanted}\u0000`] : [`${wanted}@`, `${wanted}A`];
}

function turnOf(event: RecordedEvent): unknown {
  return typeof event.data === "object" && event.data !== null && "turnId" in event.data ? event.data["turnId"] : null;
}

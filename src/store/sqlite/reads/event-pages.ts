import type { SQLInputValue } from "node:sqlite";
import { decodeRow, EVENT_COLUMNS, EVENT_SOURCE, number } from "../../log/encoding.ts";
import {
  fillPage,
  type LogRange,
  logRange,
  missingVersion,
  planPage,
  type StreamPlace,
  turnSieve,
  typeBounds,
} from "../../log/event-page.ts";
import type { EventPage, EventQuery, RecordedEvent } from "../../port.ts";
import type { Row, Statement } from "../tables/statements.ts";

/**
 * Pages of events. Positions (`seq` in the log, `version` in a stream) have no gaps, so each page knows which events it
 * must find. A missing one is reported, never skipped.
 */
export interface Pager {
  readonly all: (lastSeq: number, query: EventQuery) => EventPage;
  readonly stream: (stream: StreamPlace, query: EventQuery) => EventPage;
  readonly versions: (stream: StreamPlace, after: number, upTo: number, limit: number) => readonly RecordedEvent[];
}

/** Rows read by one call: faster than one by one, and few enough to fit in memory when all are large. */
const ROWS_AT_ONCE = 32;

export function createPager(sql: (source: string) => Statement): Pager {
  const seqAt = (stream: StreamPlace, version: number): number => {
    const found = sql("SELECT seq FROM events WHERE stream = ? AND version = ?").get(stream.no, version);
    if (found === undefined) throw missingVersion(stream, version);
    return number(found["seq"]);
  };

  /** The version of the stream's last event at or before a seq. Binary search, because both only rise. */
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

  const page = (whole: LogRange, query: EventQuery): EventPage => {
    const plan = planPage(whole, query);
    if (plan === null) return { events: [], next: null };
    const { events, next } = fillPage(plan, query, rowsOf(plan.part, query), decodeRow);
    if (next === null) return { events, next };
    return { events, next: "seq" in next ? next.seq : seqAt(next.of, next.version) };
  };

  const rowsOf = (part: LogRange, query: EventQuery): Iterable<Row> => {
    const column = part.of === null ? "seq" : "version";
    const order = query.descending === true ? "DESC" : "ASC";
    const filters: string[] = [];
    const given: SQLInputValue[] = part.of === null ? [] : [part.of.no];
    if (query.types !== undefined) {
      filters.push(` AND (${query.types.map(() => "(e.type >= ? AND e.type < ?)").join(" OR ") || "0"})`);
      given.push(...query.types.flatMap(typeBounds));
    }
    if (query.turnId !== undefined) {
      filters.push(" AND instr(e.data, ?) > 0");
      given.push(turnSieve(query.turnId));
    }
    const place = part.of === null ? "" : " AND e.stream = ?";
    const rows = sql(
      `SELECT ${EVENT_COLUMNS} FROM ${EVENT_SOURCE} WHERE e.${column} BETWEEN ? AND ?${place}${filters.join("")} ORDER BY e.${column} ${order}`,
    );
    if (filters.length > 0) return rows.each(part.from, part.to, ...given);
    return inPortions(part, query.descending === true, (from, to) => rows.all(from, to, ...given));
  };

  return {
    all: (lastSeq, query) => page(logRange(lastSeq, query), query),
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
  { from, to }: LogRange,
  descending: boolean,
  read: (from: number, to: number) => readonly Row[],
): Iterable<Row> {
  for (let done = 0; from + done <= to; done += ROWS_AT_ONCE) {
    const portion = Math.min(ROWS_AT_ONCE, to - from - done + 1);
    if (descending) yield* read(to - done - portion + 1, to - done);
    else yield* read(from + done, from + done + portion - 1);
  }
}

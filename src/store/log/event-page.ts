import { type EventQuery, type RecordedEvent, StoreError } from "../port.ts";
import { bytes, number } from "./encoding.ts";

/** A page scans at most this many events, so that a filter with few matches cannot read without end. */
export const SCAN_MAX = 5000;
/** Limits the size of a page, so that large events fit into memory. */
export const PAGE_BYTES_MAX = 8 * 1024 * 1024;

export interface StreamPlace {
  readonly no: number;
  readonly name: string;
  /** The version of its last event. */
  readonly last: number;
}

/** A range of positions in the log or in one stream, both ends included. */
export interface LogRange {
  readonly from: number;
  readonly to: number;
  readonly of: StreamPlace | null;
}

/** The part of a range that one page reads. */
export interface PagePlan {
  readonly part: LogRange;
  /** The last position to read, and whether the range ends there. */
  readonly end: number;
  readonly isEnd: boolean;
  readonly isFiltered: boolean;
}

/** Where the next page begins: after an event, or after a position that was not read. */
export type PageEnd = { readonly seq: number } | { readonly of: StreamPlace; readonly version: number } | null;

export function logRange(lastSeq: number, query: EventQuery): LogRange {
  const from = Math.max(query.after ?? 0, 0) + 1;
  const to = Math.min(query.before ?? Number.MAX_SAFE_INTEGER, lastSeq + 1) - 1;
  return { from, to, of: null };
}

/** Null when there is nothing to read. */
export function planPage(whole: LogRange, query: EventQuery): PagePlan | null {
  if (whole.from > whole.to || query.limit <= 0) return null;
  const isFiltered = query.types !== undefined || query.turnId !== undefined;
  const scan = isFiltered ? SCAN_MAX : query.limit;
  const descending = query.descending === true;
  const part = descending
    ? { ...whole, from: Math.max(whole.from, whole.to - scan + 1) }
    : { ...whole, to: Math.min(whole.to, whole.from + scan - 1) };
  const end = descending ? part.from : part.to;
  return { part, end, isEnd: end === (descending ? whole.from : whole.to), isFiltered };
}

/** Positions have no gaps, so each page knows which events it must find. A missing one throws `log_corrupt`. */
export function fillPage<Row extends Readonly<Record<string, unknown>>>(
  { part, end, isEnd, isFiltered }: PagePlan,
  query: EventQuery,
  rows: Iterable<Row>,
  decode: (row: Row) => RecordedEvent,
): { readonly events: readonly RecordedEvent[]; readonly next: PageEnd } {
  const step = query.descending === true ? -1 : 1;
  const events: RecordedEvent[] = [];
  let expected = query.descending === true ? part.to : part.from;
  let size = 0;
  for (const row of rows) {
    const position = number(row[part.of === null ? "seq" : "version"]);
    if (!isFiltered && position !== expected) throw missing(part, expected);
    expected = position + step;
    size += row["data"] === null ? 0 : bytes(row["data"]).length;
    const event = decode(row);
    if (query.turnId === undefined || turnOf(event) === query.turnId) events.push(event);
    const isFull = events.length === query.limit || size >= PAGE_BYTES_MAX;
    if (isFull && !(position === end && isEnd)) return { events, next: { seq: event.seq } };
  }
  if (!isFiltered && expected !== end + step) throw missing(part, expected);
  if (isEnd) return { events, next: null };
  return { events, next: part.of === null ? { seq: end } : { of: part.of, version: end } };
}

/** `turn.ended` matches all its versions: texts from `turn.ended@` up to `turn.endedA` (`A` follows `@` in ASCII). */
export function typeBounds(wanted: string): readonly [string, string] {
  return wanted.includes("@") ? [wanted, `${wanted}\u0000`] : [`${wanted}@`, `${wanted}A`];
}

/** A coarse filter on the bytes. Each match is decoded and checked again. */
export function turnSieve(turnId: string): Uint8Array {
  return Buffer.from(`"turnId":${JSON.stringify(turnId)}`);
}

export function missingVersion(stream: StreamPlace, version?: number): StoreError {
  const place = version === undefined ? {} : { version };
  return new StoreError("log_corrupt", { stream: stream.name, ...place, problem: "missing" });
}

function missing(part: LogRange, position: number): StoreError {
  if (part.of !== null) return missingVersion(part.of, position);
  return new StoreError("log_corrupt", { seq: position, problem: "missing" });
}

function turnOf(event: RecordedEvent): unknown {
  return typeof event.data === "object" && event.data !== null && "turnId" in event.data ? event.data["turnId"] : null;
}

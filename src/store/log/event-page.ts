import { type EventQuery, type RecordedEvent, StoreError } from "../port.ts";
import { bytes, number } from "./encoding.ts";

/** A filter that finds little may not read for ever: a page looks at no more events than this. */
export const SCAN_MAX = 5000;
/** Nor may large events make a page that does not fit into memory. */
export const PAGE_BYTES_MAX = 8 * 1024 * 1024;

export interface StreamPlace {
  readonly no: number;
  readonly name: string;
  /** The version of its last event. */
  readonly last: number;
}

/** A range of positions, both ends included, in the log or in one stream. */
export interface LogRange {
  readonly from: number;
  readonly to: number;
  readonly of: StreamPlace | null;
}

/** What one page reads of a range. */
export interface PagePlan {
  readonly part: LogRange;
  /** The position read last, and whether the range ends with it. */
  readonly end: number;
  readonly isEnd: boolean;
  readonly isFiltered: boolean;
}

/** Where the next page begins: behind an event, or behind a position nobody has read. */
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

/** Positions have no gaps, so that every page knows which events it must find: one that is missing is named. */
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

/** `turn.ended` stands for all its versions: all texts that begin with `turn.ended@`, and `A` comes behind `@`. */
export function typeBounds(wanted: string): readonly [string, string] {
  return wanted.includes("@") ? [wanted, `${wanted}\u0000`] : [`${wanted}@`, `${wanted}A`];
}

/** Only the first sieve: what it lets through is read and asked again. */
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

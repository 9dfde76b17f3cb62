import { RAW_COLUMNS, RAW_PAGE_BYTES_MAX, rawEvent, rawOf } from "../../bundle/raw-event.ts";
import type { RawEvent } from "../../port.ts";
import type { Statement } from "../tables/statements.ts";

export function rawAfter(sql: (source: string) => Statement, seq: number, limit: number): readonly RawEvent[] {
  const found: RawEvent[] = [];
  let size = 0;
  for (const row of sql(`SELECT ${RAW_COLUMNS} FROM events WHERE seq > ? ORDER BY seq LIMIT ?`).each(seq, limit)) {
    const event = rawEvent(row, seq + found.length + 1);
    found.push(event);
    size += event.data?.length ?? 0;
    if (size >= RAW_PAGE_BYTES_MAX) break;
  }
  return found;
}

export function rawOfStream(
  sql: (source: string) => Statement,
  stream: string,
  after: number,
  limit: number,
): readonly RawEvent[] {
  const found: RawEvent[] = [];
  let size = 0;
  const select = `SELECT ${RAW_COLUMNS} FROM events WHERE stream = (SELECT no FROM streams WHERE name = ?) AND version > ? ORDER BY version LIMIT ?`;
  for (const row of sql(select).each(stream, after, limit)) {
    const event = rawOf(row);
    found.push(event);
    size += event.data?.length ?? 0;
    if (size >= RAW_PAGE_BYTES_MAX) break;
  }
  return found;
}

import { RAW_COLUMNS, rawOf } from "../../bundle/raw-event.ts";
import { pageIn, RAW_PAGE_BYTES_MAX, type RawPage } from "../../bundle/raw-page.ts";
import { number } from "../../log/encoding.ts";
import type { RawEvent } from "../../port.ts";
import type { Statement } from "../tables/statements.ts";

/** One row for the whole page: reading it column by column would take three times as long. */
const PAGE = `
  SELECT CAST(group_concat(prev || header || hash || coalesce(salt, '') || coalesce(data, ''), '') AS BLOB) AS bytes,
    json_group_array(json_array(seq, octet_length(prev), octet_length(header), octet_length(hash), octet_length(salt), octet_length(data))) AS events
  FROM (SELECT * FROM events WHERE seq > ? AND seq <= ? ORDER BY seq)`;
const PAGE_BYTES = "SELECT total(octet_length(data)) AS bytes FROM events WHERE seq > ? AND seq <= ?";

export function rawAfter(sql: (source: string) => Statement, seq: number, limit: number): RawPage {
  const size = (events: number): number => number(sql(PAGE_BYTES).get(seq, seq + events)?.["bytes"]);
  let events = limit;
  while (events > 1 && size(events) > RAW_PAGE_BYTES_MAX) events = Math.ceil(events / 2);
  return pageIn(sql(PAGE).get(seq, seq + events), seq);
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

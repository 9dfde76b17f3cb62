import type { WriteExport } from "../../bundle/exports.ts";
import { openSink } from "../../bundle/open-sink.ts";
import { RAW_COLUMNS, rawOf } from "../../bundle/raw-event.ts";
import { pageIn, RAW_PAGE_BYTES_MAX, type RawPage } from "../../bundle/raw-page.ts";
import { writeBundle } from "../../bundle/write-bundle.ts";
import { type RawEvent, StoreError } from "../../port.ts";
import type { Sql } from "../reads/event-pages.ts";

export function exportLog(sql: Sql, blob: (sha256: string) => Promise<Uint8Array | null>): WriteExport {
  return async (place, request, closing) => {
    const sink = await openSink(place);
    const source = {
      rawAfter: (seq: number, limit: number) => {
        if (closing.aborted) throw new StoreError("store_closed");
        return rawAfter(sql, seq, limit);
      },
      blob,
    };
    return writeBundle(source, sink, request.checkpoint, request.key).catch(async (cause: unknown) => {
      await sink.abandon();
      throw cause;
    });
  };
}

async function rawAfter(sql: Sql, seq: number, limit: number): Promise<RawPage> {
  const [row] = await sql(
    `SELECT string_agg(prev || header || hash || coalesce(salt, '') || coalesce(data, ''), '' ORDER BY seq) AS bytes,
       json_agg(json_build_array(seq, length(prev), length(header), length(hash), length(salt), length(data)) ORDER BY seq)::text AS events
     FROM (
       SELECT ${RAW_COLUMNS}, sum(octet_length(data)) OVER (ORDER BY seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
       FROM events WHERE seq > $1 AND seq <= $2
     ) e WHERE coalesce(before, 0) < ${RAW_PAGE_BYTES_MAX}`,
    seq,
    seq + limit,
  );
  return pageIn(row, seq);
}

export async function rawOfStream(
  sql: Sql,
  stream: string,
  after: number,
  limit: number,
): Promise<readonly RawEvent[]> {
  const rows = await sql(
    `SELECT * FROM (
       SELECT ${RAW_COLUMNS}, sum(octet_length(data)) OVER (ORDER BY version ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
       FROM events WHERE stream = (SELECT no FROM streams WHERE name = $1) AND version > $2 AND version <= $3 ORDER BY version
     ) e WHERE coalesce(before, 0) < ${RAW_PAGE_BYTES_MAX} ORDER BY seq`,
    Buffer.from(stream),
    after,
    after + limit,
  );
  return rows.map(rawOf);
}

import { tail } from "../../log/tail.ts";
import type { EventPage, EventQuery, RecordedEvent } from "../../port.ts";
import { createPageReads } from "../reads/page-reads.ts";
import { openForReading } from "../tables/schema.ts";

/** The log of somebody else's running daemon, read-only: for a second process that looks on. */
export interface LogReader {
  readonly readStream: (stream: string, query: EventQuery) => EventPage;
  readonly readAll: (query: EventQuery) => EventPage;
  readonly tail: (query: {
    readonly after: number;
    readonly signal: AbortSignal;
  }) => AsyncIterable<readonly RecordedEvent[]>;
  readonly close: () => void;
}

const POLL_MS = 20;

export function openLogReader(path: string): LogReader {
  const db = openForReading(path);
  const reads = createPageReads(db);
  const changed = async (signal: AbortSignal): Promise<void> => {
    const before = reads.dataVersion();
    while (!signal.aborted && reads.dataVersion() === before) await new Promise((next) => setTimeout(next, POLL_MS));
  };
  return {
    readStream: reads.stream,
    readAll: reads.all,
    tail: ({ after, signal }) =>
      tail({ page: (cursor, limit) => reads.all({ after: cursor, limit }), news: changed }, after, signal),
    close: () => db.close(),
  };
}

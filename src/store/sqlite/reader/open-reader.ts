import type { EventPage, EventQuery } from "../../port.ts";
import { createPageReads } from "../reads/page-reads.ts";
import { openForReading } from "../tables/schema.ts";

/** Read-only access to the log of a daemon in another process. */
export interface LogReader {
  readonly readStream: (stream: string, query: EventQuery) => EventPage;
  readonly readAll: (query: EventQuery) => EventPage;
  readonly close: () => void;
}

export function openLogReader(path: string): LogReader {
  const db = openForReading(path);
  const reads = createPageReads(db);
  return { readStream: reads.stream, readAll: reads.all, close: () => db.close() };
}

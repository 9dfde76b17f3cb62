import { join } from "node:path";
import { createBlobs } from "../files/blobs.ts";
import type { EventPage, EventQuery } from "../port.ts";
import { createPageReads } from "../sqlite/reads/page-reads.ts";
import { openFrozen } from "../sqlite/tables/schema.ts";

/** The log of a backup, as it lies there. Nothing in the folder is changed or made. */
export interface FrozenLog {
  readonly readAll: (query: EventQuery) => EventPage;
  readonly lastSeq: () => number;
  readonly blob: (sha256: string) => Promise<Uint8Array | null>;
  readonly close: () => void;
}

/** Backups of either store hold their log in one SQLite file. Events are checked by their hashes as they are read. */
export function openBackupLog(folder: string): FrozenLog {
  const db = openFrozen(join(folder, "log.db"));
  const { all, lastSeq } = createPageReads(db);
  return { readAll: all, lastSeq, blob: createBlobs(join(folder, "blobs")).get, close: () => db.close() };
}

import type { DatabaseSync } from "node:sqlite";
import { number } from "../../log/encoding.ts";

/**
 * Decides when to checkpoint the write-ahead log. Commits wait meanwhile, so it happens in small portions during
 * pauses, and under constant load as seldom as the limit allows. A full disk only delays it: the write-ahead log holds
 * everything.
 */
export interface Checkpoints {
  /** After a commit: keeps the write-ahead log within its limit. */
  readonly ifDue: () => void;
  /** When no request is waiting. */
  readonly inPause: () => void;
  /** When nothing has been written for a while. */
  readonly whenIdle: () => void;
  /** Called periodically: a reader that blocked a checkpoint may be gone, and no commit may come to trigger another. */
  readonly ifHeldBack: () => void;
}

/** A portion this small takes so little time that new requests are hardly delayed. */
const PAUSE_PAGES_MIN = 512;
/** Fewer pages are not worth two flushes. */
const IDLE_PAGES_MIN = 64;

const PAGE_BYTES = 4096;

export function createCheckpoints(db: DatabaseSync, maxPages: number): Checkpoints {
  // Truncates a file that a stalled reader let grow, once it can be restarted.
  db.exec(`PRAGMA journal_size_limit=${2 * maxPages * PAGE_BYTES}`);
  const size = db.prepare("PRAGMA wal_checkpoint(NOOP)");
  const fold = db.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  /** The log's pages at the last attempt. A reader may block checkpoints, so not every commit tries again. */
  let attemptedAt = 0;

  /**
   * A passive checkpoint first. Beyond twice the limit it waits for readers, because overlapping readers could
   * otherwise prevent a restart of the file for ever.
   */
  const attemptAfter = (pages: number): void => {
    const written = number(size.get()?.["log"]);
    if (written < attemptedAt) attemptedAt = 0;
    if (written - attemptedAt < pages) return;
    attemptedAt = written;
    if (written < 2 * maxPages) fold.get();
    else emptyWal(db);
  };

  return {
    ifDue: () => attemptAfter(maxPages),
    inPause: () => attemptAfter(Math.min(maxPages, PAUSE_PAGES_MIN)),
    whenIdle: () => attemptAfter(Math.min(maxPages, IDLE_PAGES_MIN)),
    ifHeldBack: () => {
      if (number(size.get()?.["log"]) >= 2 * maxPages && emptyWal(db)) attemptedAt = 0;
    },
  };
}

/** Short, because all appends wait meanwhile: only readers that are about to finish are worth waiting for. */
const READERS_WAIT_MS = 50;

/** Checkpoints everything and truncates the write-ahead log. False when a reader prevents it. */
export function emptyWal(db: DatabaseSync): boolean {
  const waited = db.prepare("PRAGMA busy_timeout").get()?.["timeout"];
  db.exec(`PRAGMA busy_timeout=${READERS_WAIT_MS}`);
  try {
    return db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] === 0;
  } finally {
    db.exec(`PRAGMA busy_timeout=${number(waited)}`);
  }
}

import type { DatabaseSync } from "node:sqlite";
import { number } from "../../log/encoding.ts";

/**
 * When the write-ahead log is folded into the file. Acknowledgements wait meanwhile, so it is done in small portions
 * whenever nobody waits, and under a load without pauses as seldom as the bound allows. A full disk only puts it off:
 * the write-ahead log has it all.
 */
export interface Checkpoints {
  /** After a commit: keeps the write-ahead log within its bound. */
  readonly ifDue: () => void;
  /** When nobody waits for the next commit. */
  readonly inPause: () => void;
  /** When nothing has been written for a while. */
  readonly whenIdle: () => void;
  /** From time to time: whoever held it back may be gone, and no commit may come to notice. */
  readonly ifHeldBack: () => void;
}

/** So little is folded in so fast that whoever comes meanwhile hardly notices. */
const PAUSE_PAGES_MIN = 512;
/** Less than this is not worth two flushes. */
const IDLE_PAGES_MIN = 64;

const PAGE_BYTES = 4096;

export function createCheckpoints(db: DatabaseSync, maxPages: number): Checkpoints {
  // A file that a stalled reader made grow is cut back once it can be written from its beginning again.
  db.exec(`PRAGMA journal_size_limit=${2 * maxPages * PAGE_BYTES}`);
  const size = db.prepare("PRAGMA wal_checkpoint(NOOP)");
  const fold = db.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  /** Where the last attempt was made. A reader may hold it back; it is not made again at every commit. */
  let attemptedAt = 0;

  /** First without waiting for anybody; readers that come and go could keep the file from starting over for ever. */
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

/** Everybody who appends waits meanwhile, so that only readers who are about to finish are waited for. */
const READERS_WAIT_MS = 50;

/** Folds everything into the file and cuts the write-ahead log to nothing; false when a reader is in the way. */
export function emptyWal(db: DatabaseSync): boolean {
  const waited = db.prepare("PRAGMA busy_timeout").get()?.["timeout"];
  db.exec(`PRAGMA busy_timeout=${READERS_WAIT_MS}`);
  try {
    return db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] === 0;
  } finally {
    db.exec(`PRAGMA busy_timeout=${number(waited)}`);
  }
}

import type { DatabaseSync } from "node:sqlite";
import { number } from "./encoding.ts";

/**
 * When the write-ahead log is folded into the file. Under load as seldom as its bound allows, because acknowledgements
 * wait meanwhile; when nothing is being written, soon. A full disk only puts it off: the write-ahead log has it all.
 */
export interface Checkpoints {
  /** After a commit: keeps the write-ahead log within its bound. */
  readonly ifDue: () => void;
  /** When nothing has been written for a moment. */
  readonly whenIdle: () => void;
}

/** Less than this is not worth two flushes. */
const IDLE_PAGES_MIN = 256;

export function createCheckpoints(db: DatabaseSync, maxPages: number): Checkpoints {
  const size = db.prepare("PRAGMA wal_checkpoint(NOOP)");
  const fold = db.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  /** How far the last attempt came. A reader that stands still holds it back; it is not tried again at every commit. */
  let attemptedAt = 0;

  const pages = (): number => {
    const found = number(size.get()?.["log"]);
    if (found < attemptedAt) attemptedAt = 0;
    return found;
  };
  const attempt = (): void => {
    const { log, checkpointed } = fold.get() ?? {};
    attemptedAt = log === checkpointed ? 0 : number(log);
  };

  return {
    ifDue: () => {
      if (pages() - attemptedAt >= maxPages) attempt();
    },
    whenIdle: () => {
      if (pages() - attemptedAt >= IDLE_PAGES_MIN) attempt();
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

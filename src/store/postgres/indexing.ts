import type { SearchIndex } from "./search-index.ts";

/** Keeps the full text near the end of the log, so that a search does not have to catch up much. */
export interface Indexing {
  /** The log has grown. */
  readonly soon: () => void;
  readonly close: () => Promise<void>;
}

/** Appends come in bursts; one pass a little later serves them all. */
const DELAY_MS = 500;

export function createIndexing(index: Pick<SearchIndex, "advance">): Indexing {
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  let isClosed = false;

  const run = async (): Promise<void> => {
    try {
      while (!isClosed && (await index.advance()));
    } catch {
      // The cursor stays where it is; whoever searches is told.
    }
    running = null;
  };
  return {
    soon: () => {
      if (isClosed) return;
      timer ??= setTimeout(() => {
        timer = null;
        running ??= run();
      }, DELAY_MS).unref();
    },
    close: async () => {
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
      await running;
    },
  };
}

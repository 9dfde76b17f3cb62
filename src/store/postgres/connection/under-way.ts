import { setTimeout as sleep } from "node:timers/promises";
import { StoreError } from "../../port.ts";

/** Counts calls that have not been answered yet. */
export interface UnderWay {
  readonly run: <T>(work: () => Promise<T>) => Promise<T>;
  /** Refuses new calls and waits a bounded time for the running ones. */
  readonly close: (waitMaxMs: number) => Promise<void>;
}

export function createUnderWay(): UnderWay {
  const running = new Set<Promise<unknown>>();
  let isClosed = false;
  return {
    run: async (work) => {
      if (isClosed) throw new StoreError("store_closed");
      const done = work();
      const settled = Promise.allSettled([done]);
      running.add(settled);
      void settled.then(() => running.delete(settled));
      return done;
    },
    close: async (waitMaxMs) => {
      isClosed = true;
      const late = new AbortController();
      await Promise.race([
        Promise.all(running),
        sleep(waitMaxMs, undefined, { signal: late.signal }).catch(() => undefined),
      ]);
      late.abort();
    },
  };
}

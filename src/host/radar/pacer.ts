/** Does the same work again and again: soon after it was asked to, otherwise now and then. Never twice at a time. */
export interface Pacer {
  /** Does the work soon; several calls make one. */
  readonly soon: () => void;
  /** Resolves when nothing runs any more. */
  readonly close: () => Promise<void>;
}

export interface PacerOptions {
  /** True: there is more to do. */
  readonly work: () => Promise<boolean>;
  /** False: it is not done again until it is asked for. */
  readonly isWanted: () => boolean;
  /** Calls that come together are answered together. */
  readonly soonMs: number;
  readonly everyMs: number;
}

export function createPacer({ work, isWanted, soonMs, everyMs }: PacerOptions): Pacer {
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  let isAsked = false;
  let isClosed = false;

  const arm = (afterMs: number): void => {
    if (timer !== null) clearTimeout(timer);
    timer = isClosed ? null : setTimeout(() => void begin(), afterMs);
  };
  const begin = (): void => {
    timer = null;
    isAsked = false;
    running = work().then((hasMore) => {
      running = null;
      if (hasMore || isAsked) arm(soonMs);
      else if (isWanted()) arm(everyMs);
    });
  };

  return {
    soon: () => {
      if (isAsked) return;
      isAsked = true;
      if (running === null) arm(soonMs);
    },
    close: async () => {
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
      await running;
    },
  };
}

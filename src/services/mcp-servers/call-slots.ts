/** Runs so many at a time; others wait in order, as many as there is room for. */
export interface CallSlots {
  /** Throws `full()` when too many wait. Rejects with the signal's reason when it is aborted while waiting. */
  readonly run: <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;
  readonly active: () => number;
}

export function createCallSlots(max: number, waitingMax: number, full: () => Error): CallSlots {
  const waiting: (() => void)[] = [];
  let active = 0;
  const enter = async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (active < max) {
      active += 1;
      return;
    }
    if (waiting.length >= waitingMax) throw full();
    const turn = Promise.withResolvers<void>();
    waiting.push(turn.resolve);
    const leave = (): void => {
      const at = waiting.indexOf(turn.resolve);
      if (at < 0) return;
      waiting.splice(at, 1);
      turn.reject(signal.reason);
    };
    signal.addEventListener("abort", leave, { once: true });
    try {
      await turn.promise;
    } finally {
      signal.removeEventListener("abort", leave);
    }
  };
  const exit = (): void => {
    const next = waiting.shift();
    // The place goes from one to the next, so that nobody who comes in between takes it.
    if (next === undefined) active -= 1;
    else next();
  };
  return {
    active: () => active,
    run: async (work, signal) => {
      await enter(signal);
      try {
        return await work();
      } finally {
        exit();
      }
    },
  };
}

/** The product's clock, passed in so that a simulation can control it. */
export interface Clock {
  /** The wall clock. It may be set by any amount at any time, so never use it for durations. */
  nowMs(): number;
  /** Never goes back, whatever the wall clock does: for waits, ages and limits. Means nothing in another process. */
  steadyMs(): number;
  iso(ms: number): string;
  /** Rejects with the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Runs `run` once after `ms`, unless the returned function is called first. */
  after(ms: number, run: () => void): () => void;
}

export function systemClock(): Clock {
  return {
    nowMs: () => Date.now(),
    steadyMs: () => performance.now(),
    iso: (ms) => new Date(ms).toISOString(),
    sleep: sleepOn(after),
    after,
  };
}

function sleepOn(timer: Clock["after"]): Clock["sleep"] {
  return (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        cancel();
        reject(signal?.reason);
      };
      const cancel = timer(ms, () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      });
      signal?.addEventListener("abort", onAbort, { once: true });
    });
}

/** Node fires a longer timer at once, so a longer wait uses several timers. */
const TIMER_MAX_MS = 2 ** 31 - 1;

function after(ms: number, run: () => void): () => void {
  const arm = (restMs: number): NodeJS.Timeout =>
    setTimeout(
      () => {
        if (restMs <= TIMER_MAX_MS) return run();
        timeout = arm(restMs - TIMER_MAX_MS);
      },
      Math.min(restMs, TIMER_MAX_MS),
    );
  let timeout = arm(ms);
  return () => clearTimeout(timeout);
}

/** Time as the product sees it: passed in, so that a simulation can turn it by hand. */
export interface Clock {
  /** What the wall clock says. Somebody may set it, by a year and while a turn runs: never for how long something took. */
  nowMs(): number;
  /** Only rises, whatever the wall clock is set to: for waits, ages and limits. Means nothing to another process. */
  steadyMs(): number;
  iso(ms: number): string;
  /** Rejects with the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Runs `run` once, `ms` from now, unless the returned function is called first. */
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

/** Node fires a longer timer at once; a wait of months is therefore made of several. */
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

import type { Clock } from "../../src/host/index.ts";

/** Time that passes only on request: it jumps to the next timer. */
export interface VirtualClock extends Clock {
  /** Runs the next timer and everything that follows from it; false when no timer is set. */
  readonly step: () => Promise<boolean>;
}

const START_MS = Date.UTC(2026, 0, 1);

export function createVirtualClock(): VirtualClock {
  const timers: { readonly atMs: number; readonly order: number; readonly run: () => void }[] = [];
  let nowMs = START_MS;
  let order = 0;

  const after = (ms: number, run: () => void): (() => void) => {
    order += 1;
    const timer = { atMs: nowMs + Math.max(0, ms), order, run };
    const at = timers.findIndex((other) => other.atMs > timer.atMs);
    timers.splice(at === -1 ? timers.length : at, 0, timer);
    return () => {
      const found = timers.indexOf(timer);
      if (found !== -1) timers.splice(found, 1);
    };
  };

  return {
    nowMs: () => nowMs,
    steadyMs: () => nowMs,
    iso: (ms) => new Date(ms).toISOString(),
    after,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) return reject(signal.reason);
        const cancel = after(ms, () => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        });
        const onAbort = () => {
          cancel();
          reject(signal?.reason);
        };
        signal?.addEventListener("abort", onAbort, { once: true });
      }),
    step: async () => {
      await settle();
      const next = timers.shift();
      if (next === undefined) return false;
      nowMs = Math.max(nowMs, next.atMs);
      next.run();
      await settle();
      return true;
    },
  };
}

/** Nothing in a simulation waits for the real world, so one turn of the event loop settles all promises. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

import { monitorEventLoopDelay } from "node:perf_hooks";

/** Delay of the main thread's event loop over the last seconds. */
export interface EventLoopLag {
  readonly meanSeconds: number;
  readonly p99Seconds: number;
  readonly maxSeconds: number;
}

const LAG_WINDOW_MS = 10_000;

export function watchEventLoop(): { readonly lag: () => EventLoopLag; readonly stop: () => void } {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  let sinceMs = performance.now();
  return {
    lag: () => {
      const seconds = (nanoseconds: number) => (Number.isFinite(nanoseconds) ? nanoseconds / 1e9 : 0);
      const found = {
        meanSeconds: seconds(delay.mean),
        p99Seconds: seconds(delay.percentile(99)),
        maxSeconds: seconds(delay.max),
      };
      // Reset by time, not by each reader, so that every reader sees the last seconds.
      if (performance.now() - sinceMs > LAG_WINDOW_MS) {
        delay.reset();
        sinceMs = performance.now();
      }
      return found;
    },
    stop: () => void delay.disable(),
  };
}

import type { Clock } from "../../host/index.ts";

/** Repeats work with a pause after each run. Returns a function that stops it. */
export function keepDoing(clock: Clock, everyMs: number, work: () => Promise<void>): () => void {
  let stopped = false;
  let cancel: () => void = () => undefined;
  const again = (): void => {
    cancel = clock.after(everyMs, () => {
      void work().finally(() => {
        if (!stopped) again();
      });
    });
  };
  again();
  return () => {
    stopped = true;
    cancel();
  };
}

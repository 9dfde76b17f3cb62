import { NomosError } from "../../contract/index.ts";

/** Runs a bounded number of works at once; the others wait in order, up to a bound. */
export type TakeTurns = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

export function takeTurns(atOnceMax: number, waitingMax: number): TakeTurns {
  let running = 0;
  const waiting: (() => void)[] = [];
  const turn = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = () => {
        signal.removeEventListener("abort", leave);
        running += 1;
        resolve();
      };
      const leave = () => {
        waiting.splice(waiting.indexOf(begin), 1);
        reject(signal.reason);
      };
      if (running < atOnceMax) return begin();
      if (waiting.length >= waitingMax) return reject(new NomosError("web_busy", { waitingMax }));
      signal.addEventListener("abort", leave, { once: true });
      waiting.push(begin);
    });
  return async (work, signal) => {
    signal.throwIfAborted();
    await turn(signal);
    try {
      return await work();
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  };
}

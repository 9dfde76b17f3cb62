import { setTimeout as sleep } from "node:timers/promises";
import { isUnreachable } from "./translate-error.ts";

const TRY_AGAIN_FIRST_MS = 100;
const TRY_AGAIN_MAX_MS = 5000;

/** Repeats a call until there is an answer or the signal aborts. */
export async function untilReachable<T>(ask: () => Promise<T>, signal: AbortSignal, otherwise: T): Promise<T> {
  for (let waitMs = TRY_AGAIN_FIRST_MS; ; waitMs = Math.min(waitMs * 2, TRY_AGAIN_MAX_MS)) {
    if (signal.aborted) return otherwise;
    try {
      return await ask();
    } catch (thrown) {
      if (signal.aborted) return otherwise;
      if (!isUnreachable(thrown)) throw thrown;
    }
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
}

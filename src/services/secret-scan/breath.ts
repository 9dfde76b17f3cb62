import { setImmediate } from "node:timers/promises";
import { NomosError } from "../../contract/index.ts";

/** Lets everything else run when the work took a while. Throws when the caller has gone. */
export type Breathe = () => Promise<void>;

/** A prompt that arrives meanwhile waits no longer than this and one more piece. */
const WORK_MAX_MS = 8;

export function createBreath(steadyMs: () => number, signal: AbortSignal): Breathe {
  let sinceMs = steadyMs();
  return async () => {
    if (signal.aborted) throw new NomosError("call_cancelled");
    if (steadyMs() - sinceMs < WORK_MAX_MS) return;
    await setImmediate();
    sinceMs = steadyMs();
  };
}

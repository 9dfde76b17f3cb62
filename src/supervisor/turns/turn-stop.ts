import { NomosError } from "../../contract/index.ts";
import type { Clock } from "../../host/index.ts";

export type StopReason = "interrupted" | "ended" | "stopping" | "timeout";

export interface Outcome {
  readonly outcome: "completed" | "failed" | "interrupted";
  readonly error: { readonly code: string; readonly message: string } | null;
  /** The agent never started, so the session ends with the turn. */
  readonly isStillborn?: true;
  /** The driver was cut, and the turn can go on from the log. */
  readonly isCut?: true;
  /** A usage limit ended the turn; the session waits until it resets. */
  readonly limit?: { readonly untilMs: number; readonly reason: string };
}

/** Time between an interrupt and giving up on the driver. */
const LET_GO_MS = 2300;

/** Gives up on a driver that does not return: its processes are killed, and its later calls find the turn over. */
export async function orLetGo(driving: Promise<Outcome>, signal: AbortSignal, clock: Clock): Promise<Outcome> {
  const over = new AbortController();
  try {
    return await Promise.race([driving, letGo(signal, clock, over.signal)]);
  } finally {
    over.abort();
  }
}

/** If a limit ended the turn, the limit's error is the reason. */
export function stopped(reason: unknown): Outcome {
  if (reason instanceof NomosError)
    return {
      outcome: "failed",
      error: { code: reason.code, message: `${reason.message} ${JSON.stringify(reason.details)}` },
    };
  if (reason === ("timeout" satisfies StopReason))
    return {
      outcome: "failed",
      error: { code: "driver_timeout", message: "The turn exceeded its time limit and was ended." },
    };
  return { outcome: "interrupted", error: null };
}

/** Ends with `over` at the latest: a leftover timer would keep a stopped daemon alive. */
async function letGo(signal: AbortSignal, clock: Clock, over: AbortSignal): Promise<Outcome> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true, signal: over });
  });
  await clock.sleep(LET_GO_MS, over);
  return stopped(signal.reason);
}

import type { ModelError, ModelErrorClass } from "../model.ts";

export const TRIES_MAX = 5;
const BASE_MS = 1000;
const CAP_MS = 30_000;
/** A rate limit that lasts longer is no reason to keep a turn waiting: it is parked and woken by an alarm. */
const PARK_FROM_MS = 60_000;

/** Trying again cannot help: somebody has to change the key, the account, the request or the model first. */
const NEVER: ReadonlySet<ModelErrorClass> = new Set([
  "auth",
  "billing",
  "refused",
  "overflow",
  "invalid",
  "model_unknown",
]);

export type RetryVerdict =
  | { readonly kind: "retry"; readonly delayMs: number }
  | { readonly kind: "park"; readonly parkMs: number }
  | { readonly kind: "give_up" };

/**
 * Whether and when to try again. `attempt` is the number of tries that have failed so far: 1 after the first. A parked turn
 * is woken by an alarm, so it is parked also after its last try.
 */
export function retryVerdict(
  error: ModelError,
  attempt: number,
  { random }: { readonly random: () => number },
): RetryVerdict {
  const { errorClass, retryAfterMs } = error;
  if (NEVER.has(errorClass)) return { kind: "give_up" };
  if (errorClass === "rate_limit" && retryAfterMs !== null && retryAfterMs > PARK_FROM_MS)
    return { kind: "park", parkMs: retryAfterMs };
  if (attempt >= TRIES_MAX) return { kind: "give_up" };
  // Full jitter: many sessions that failed together do not come back together.
  const backoffMs = Math.floor(random() * Math.min(CAP_MS, BASE_MS * 2 ** Math.max(0, attempt - 1)));
  return { kind: "retry", delayMs: retryAfterMs === null ? backoffMs : Math.max(waitAsked(retryAfterMs), backoffMs) };
}

/** An overloaded provider may ask for hours; a turn does not wait that long before its next try. */
function waitAsked(retryAfterMs: number): number {
  return Math.min(retryAfterMs, PARK_FROM_MS);
}

import type { CallOptions, Client } from "./client.ts";
import { ClientError } from "./client-error.ts";
import { pause } from "./follow.ts";

const RETRY_FIRST_MS = 100;
const RETRY_MAX_MS = 3_000;

/** Refusals that say only that the daemon cannot answer now. Every other refusal is its answer. */
const PASSING_CODES: ReadonlySet<string> = new Set([
  ...["daemon_unreachable", "starting", "overloaded", "too_many_connections"],
  ...["store_closed", "store_unreachable"],
]);

/** What a proxy says when nobody behind it answered. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * Sends a call again when its answer was lost. All attempts carry one idempotency key, so that a write that arrived
 * changes nothing a second time.
 */
export function withRetries(callByName: Client["callByName"], retriesMax: number): Client["callByName"] {
  return async (name, input, options = {}) => {
    const given: CallOptions = { ...options, idempotencyKey: options.idempotencyKey ?? crypto.randomUUID() };
    for (let failures = 0; ; failures += 1)
      try {
        return await callByName(name, input, given);
      } catch (thrown) {
        if (options.signal?.aborted === true || failures >= retriesMax || !isLost(thrown)) throw thrown;
        await pause(Math.min(RETRY_FIRST_MS * 2 ** failures, RETRY_MAX_MS), options.signal);
      }
  };
}

function isLost(thrown: unknown): boolean {
  if (!(thrown instanceof ClientError)) return false;
  if (thrown.status === 0 || PASSING_CODES.has(thrown.code)) return true;
  return thrown.code === "internal" && PASSING_STATUSES.has(thrown.status);
}

import type { NomosError } from "../contract/index.ts";
import type { Clock } from "../host/index.ts";

/** Something that failed, and when it is tried again. */
export interface Trouble {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
  /** Time of the first failure since it last worked. */
  readonly since: string;
  readonly tries: number;
  readonly nextTryAt: string;
}

const RETRY_FIRST_MS = 1000;
const RETRY_MAX_MS = 60_000;
/** Random, so that items that failed together do not all retry at once. */
const JITTER_PART = 0.25;

/** Another failure: what to show, and how long to wait. The wait doubles up to a minute. */
export function oneMoreFailure(
  error: NomosError,
  before: Trouble | null,
  clock: Clock,
  random: () => number,
): { readonly trouble: Trouble; readonly waitMs: number } {
  const { code, message, remedy, details } = error;
  const tries = (before?.tries ?? 0) + 1;
  const waitMs = retryDelayMs(tries, random);
  const nowMs = clock.nowMs();
  const trouble = {
    code,
    message: [message, details["reason"]].filter((part) => typeof part === "string").join(" "),
    remedy,
    since: before?.since ?? clock.iso(nowMs),
    tries,
    nextTryAt: clock.iso(nowMs + waitMs),
  };
  return { trouble, waitMs };
}

/** The wait after this many failures in a row, shortened by a random part. */
function retryDelayMs(tries: number, random: () => number): number {
  const fullMs = Math.min(RETRY_FIRST_MS * 2 ** (tries - 1), RETRY_MAX_MS);
  return Math.round(fullMs * (1 - JITTER_PART * random()));
}

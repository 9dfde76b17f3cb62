const RETRY_FIRST_MS = 1000;
const RETRY_MAX_MS = 60_000;
/** So that followers that failed together, for the same reason, do not all come back at once. */
const JITTER_PART = 0.25;

/** How long to wait after so many failures in a row: doubles up to a minute, a random part of it less. */
export function retryDelayMs(tries: number, random: () => number): number {
  const fullMs = Math.min(RETRY_FIRST_MS * 2 ** (tries - 1), RETRY_MAX_MS);
  return Math.round(fullMs * (1 - JITTER_PART * random()));
}

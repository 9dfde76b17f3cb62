import type { McpLimits } from "../limits.ts";

/** Counts messages that nobody asked for. False: there are too many of them. */
export function createUnaskedCount(
  { unaskedMax, unaskedPerSecond }: Pick<McpLimits, "unaskedMax" | "unaskedPerSecond">,
  steadyMs: () => number,
): () => boolean {
  let left = unaskedMax;
  let countedAtMs = steadyMs();
  return () => {
    const nowMs = steadyMs();
    left = Math.min(unaskedMax, left + ((nowMs - countedAtMs) / 1000) * unaskedPerSecond);
    countedAtMs = nowMs;
    left -= 1;
    return left >= 0;
  };
}

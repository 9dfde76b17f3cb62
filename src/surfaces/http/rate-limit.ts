/** One token bucket per name, refilled over time. Names that are idle long enough are dropped. */
export interface RateLimit {
  /** Seconds to wait; 0 when the call may proceed. */
  readonly take: (name: string) => number;
}

const NAMES_MAX = 10_000;

export function createRateLimit(options: {
  readonly perSecond: number;
  readonly burst: number;
  /** From a monotonic clock: a wall clock that is set back would lock everybody out for that time. */
  readonly nowMs: () => number;
}): RateLimit {
  const buckets = new Map<string, { left: number; atMs: number }>();
  return {
    take: (name) => {
      const nowMs = options.nowMs();
      const before = buckets.get(name) ?? { left: options.burst, atMs: nowMs };
      const left = Math.min(options.burst, before.left + (Math.max(0, nowMs - before.atMs) / 1000) * options.perSecond);
      buckets.delete(name);
      if (buckets.size >= NAMES_MAX) buckets.delete(buckets.keys().next().value ?? "");
      buckets.set(name, { left: left < 1 ? left : left - 1, atMs: nowMs });
      return left < 1 ? Math.ceil((1 - left) / options.perSecond) : 0;
    },
  };
}

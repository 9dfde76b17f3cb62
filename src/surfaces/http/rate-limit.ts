/** A bucket per name that refills with time. Names that were quiet long enough are forgotten. */
export interface RateLimit {
  /** Seconds to wait, or 0 when it may go ahead. */
  readonly take: (name: string) => number;
}

const NAMES_MAX = 10_000;

export function createRateLimit(options: {
  readonly perSecond: number;
  readonly burst: number;
  /** Of a clock that only rises: one that is set back would lock everybody out for as long. */
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

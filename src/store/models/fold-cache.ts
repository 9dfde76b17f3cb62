import type { Folded } from "../../kernel/index.ts";

/** The most recently used folds. An evicted one is read again from its fold snapshot. */
export interface FoldCache {
  readonly get: (stream: string) => Folded | undefined;
  readonly set: (stream: string, folded: Folded) => void;
  /** Stops caching a stream while its data is erased: folds from before may hold that data. */
  readonly suspend: (stream: string) => void;
  readonly resume: (stream: string) => void;
  readonly isSuspended: (stream: string) => boolean;
  readonly clear: () => void;
}

const FOLDS_KEPT = 2000;

export function createFoldCache(): FoldCache {
  const kept = new Map<string, Folded>();
  const suspended = new Set<string>();
  return {
    get: (stream) => kept.get(stream),
    set: (stream, folded) => {
      if (suspended.has(stream)) return;
      kept.delete(stream);
      kept.set(stream, folded);
      if (kept.size <= FOLDS_KEPT) return;
      const oldest = kept.keys().next().value;
      if (oldest !== undefined) kept.delete(oldest);
    },
    suspend: (stream) => {
      kept.delete(stream);
      suspended.add(stream);
    },
    resume: (stream) => {
      suspended.delete(stream);
    },
    isSuspended: (stream) => suspended.has(stream),
    clear: () => kept.clear(),
  };
}

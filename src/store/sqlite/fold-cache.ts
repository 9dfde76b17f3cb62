import type { Folded } from "../../kernel/index.ts";

/** The folds used last; what falls out is read again from its snapshot. */
export interface FoldCache {
  readonly get: (stream: string) => Folded | undefined;
  readonly set: (stream: string, folded: Folded) => void;
}

const FOLDS_KEPT = 2000;

export function createFoldCache(): FoldCache {
  const kept = new Map<string, Folded>();
  return {
    get: (stream) => kept.get(stream),
    set: (stream, folded) => {
      kept.delete(stream);
      kept.set(stream, folded);
      if (kept.size <= FOLDS_KEPT) return;
      const oldest = kept.keys().next().value;
      if (oldest !== undefined) kept.delete(oldest);
    },
  };
}

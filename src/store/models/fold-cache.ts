import type { Folded } from "../../domains/index.ts";
import { createRecent } from "../recent.ts";

/** The most recently used folds. An evicted one is read again from its fold snapshot. */
export interface FoldCache {
  readonly get: (stream: string) => Folded | undefined;
  readonly set: (stream: string, folded: Folded) => void;
  /** The fold as of a version in the past: several forks often begin at the same event. */
  readonly past: (stream: string, version: number) => Folded | undefined;
  readonly setPast: (stream: string, folded: Folded) => void;
  /** Stops caching a stream while its data is erased: folds from before may hold that data. */
  readonly suspend: (stream: string) => void;
  readonly resume: (stream: string) => void;
  readonly isSuspended: (stream: string) => boolean;
  readonly clear: () => void;
}

const FOLDS_KEPT = 2000;
const PAST_FOLDS_KEPT = 64;

export function createFoldCache(): FoldCache {
  const kept = createRecent<string, Folded>(FOLDS_KEPT);
  const past = createRecent<string, Folded>(PAST_FOLDS_KEPT);
  const suspended = new Set<string>();
  return {
    get: kept.get,
    set: (stream, folded) => {
      if (!suspended.has(stream)) kept.set(stream, folded);
    },
    past: (stream, version) => past.get(`${version} ${stream}`),
    setPast: (stream, folded) => {
      if (!suspended.has(stream)) past.set(`${folded.state.version} ${stream}`, folded);
    },
    suspend: (stream) => {
      kept.delete(stream);
      past.clear();
      suspended.add(stream);
    },
    resume: (stream) => {
      suspended.delete(stream);
    },
    isSuspended: (stream) => suspended.has(stream),
    clear: () => {
      kept.clear();
      past.clear();
    },
  };
}

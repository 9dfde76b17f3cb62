import type { Definitions, Folded } from "../../../kernel/index.ts";
import type { FoldCache } from "../../models/fold-cache.ts";
import { foldCold, foldStream } from "./fold-stream.ts";
import type { PageReads } from "./page-reads.ts";

/** Streams folded as far as the log goes; what was folded before is kept and only continued. */
export interface Folds {
  /** What this process wrote last is what the writer will find, or else the writer refuses. */
  readonly at: (stream: string, version: number) => Folded;
  /** As of a version; without one as of now. */
  readonly asOf: (stream: string, atVersion?: number) => Promise<Folded>;
}

export function createFolds(defined: Definitions, reads: PageReads, cache: FoldCache): Folds {
  const now = (stream: string): Folded => {
    const known = cache.get(stream);
    const folded = known === undefined ? foldCold(defined, reads, stream) : goOn(stream, known);
    cache.set(stream, folded);
    return folded;
  };
  const goOn = (stream: string, known: Folded): Folded => {
    const version = reads.version(stream);
    return known.state.version <= version
      ? foldStream(defined, reads, stream, version, known)
      : foldCold(defined, reads, stream);
  };
  return {
    at: (stream, version) => {
      const known = cache.get(stream);
      return known?.state.version === version ? known : now(stream);
    },
    asOf: async (stream, atVersion) =>
      atVersion === undefined ? now(stream) : foldStream(defined, reads, stream, atVersion),
  };
}

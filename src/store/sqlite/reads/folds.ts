import type { Definitions, Folded } from "../../../domains/index.ts";
import type { FoldCache } from "../../models/fold-cache.ts";
import { foldCold, foldStream } from "./fold-stream.ts";
import type { PageReads } from "./page-reads.ts";

/** Folds of streams at the end of the log. Cached folds are continued. */
export interface Folds {
  /** A cached fold at this version is used without a read. If it is outdated, the writer refuses the append. */
  readonly at: (stream: string, version: number) => Folded;
  /** At a version, or now when omitted. */
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
  const then = (stream: string, version: number): Folded => {
    const known = cache.past(stream, version);
    if (known !== undefined) return known;
    const folded = foldStream(defined, reads, stream, version);
    cache.setPast(stream, folded);
    return folded;
  };
  return {
    at: (stream, version) => {
      const known = cache.get(stream);
      return known?.state.version === version ? known : now(stream);
    },
    asOf: async (stream, atVersion) => (atVersion === undefined ? now(stream) : then(stream, atVersion)),
  };
}

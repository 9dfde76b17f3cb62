import type { Definitions, Folded } from "../../../domains/index.ts";
import type { FoldCache } from "../../models/fold-cache.ts";
import { foldCold, foldStream } from "./fold-stream.ts";
import type { PageReads } from "./page-reads.ts";
import type { Use } from "./reader.ts";

/** Folds of streams at the end of the log. Cached folds are continued. */
export interface Folds {
  /** A cached fold at this version is used without a read. If it is outdated, the writer refuses the append. */
  readonly at: (stream: string, version: number) => Promise<Folded>;
  /** At a version, or now when omitted. */
  readonly asOf: (stream: string, atVersion?: number) => Promise<Folded>;
  /** Called when an erasure begins and ends: a fold computed meanwhile may hold erased data and is not cached. */
  readonly distrust: () => void;
}

export function createFolds(defined: Definitions, reads: PageReads, use: Use, cache: FoldCache): Folds {
  let erasures = 0;
  const now = async (stream: string): Promise<Folded> => {
    const at = erasures;
    const known = cache.get(stream);
    const version = await reads.version(stream);
    const usable = known !== undefined && known.state.version <= version ? known : undefined;
    const isWarm = version === 0 || usable !== undefined;
    const folded = await (isWarm
      ? foldStream(defined, reads, stream, version, usable)
      : foldCold(defined, use, stream));
    const newest = cache.get(stream)?.state.version ?? 0;
    if (at === erasures && newest <= folded.state.version) cache.set(stream, folded);
    return folded;
  };
  const then = async (stream: string, version: number): Promise<Folded> => {
    const known = cache.past(stream, version);
    if (known !== undefined) return known;
    const at = erasures;
    const folded = await foldStream(defined, reads, stream, version);
    if (at === erasures) cache.setPast(stream, folded);
    return folded;
  };
  return {
    at: async (stream, version) => {
      const known = cache.get(stream);
      return known?.state.version === version ? known : now(stream);
    },
    asOf: (stream, atVersion) => (atVersion === undefined ? now(stream) : then(stream, atVersion)),
    distrust: () => {
      erasures += 1;
    },
  };
}

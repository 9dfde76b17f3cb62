import type { Definitions, Folded } from "../../../kernel/index.ts";
import type { FoldCache } from "../../models/fold-cache.ts";
import { foldCold, foldStream } from "./fold-stream.ts";
import type { PageReads } from "./page-reads.ts";
import type { Use } from "./reader.ts";

/** Streams folded as far as the log goes; what was folded before is kept and only continued. */
export interface Folds {
  /** What this process wrote last is what the writer will find, or else the writer refuses. */
  readonly at: (stream: string, version: number) => Promise<Folded>;
  /** As of a version; without one as of now. */
  readonly asOf: (stream: string, atVersion?: number) => Promise<Folded>;
  /** Called when an erasure begins and when it ends: what is being folded meanwhile may hold what is erased, and is not kept. */
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
  return {
    at: async (stream, version) => {
      const known = cache.get(stream);
      return known?.state.version === version ? known : now(stream);
    },
    asOf: (stream, atVersion) =>
      atVersion === undefined ? now(stream) : foldStream(defined, reads, stream, atVersion),
    distrust: () => {
      erasures += 1;
    },
  };
}

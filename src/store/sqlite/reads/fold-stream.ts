import type { Definitions, Folded } from "../../../domains/index.ts";
import { checkHead, FOLD_PAGE, firstFold, foldOn } from "../../models/fold-events.ts";
import type { PageReads } from "./page-reads.ts";

/** Folds a stream up to a version: from the nearest fold snapshot and the events after it. */
export function foldStream(
  defined: Definitions,
  reads: PageReads,
  stream: string,
  atVersion: number,
  from?: Folded,
): Folded {
  let folded = from ?? firstFold(defined, stream, reads.snapshot(stream, atVersion));
  while (folded.state.version < atVersion) {
    const page = reads.versions(stream, folded.state.version, atVersion, FOLD_PAGE);
    folded = foldOn(defined, stream, folded, page, atVersion);
  }
  return folded;
}

/** Folds without a cached fold, and checks that the stream ends where its counter says. */
export function foldCold(defined: Definitions, reads: PageReads, stream: string): Folded {
  return reads.consistently(() => {
    const folded = foldStream(defined, reads, stream, reads.version(stream));
    checkHead(stream, folded, reads.usage(stream).events);
    return folded;
  });
}

import type { Folded } from "../../kernel/index.ts";
import { checkHead, FOLD_PAGE, firstFold, foldOn, headRow } from "../folding.ts";
import type { PageReads } from "./page-reads.ts";

/** A stream's fold as of a version: the nearest kept fold and the few events behind it. */
export function foldStream(reads: PageReads, stream: string, atVersion: number, from?: Folded): Folded {
  let folded = from ?? firstFold(stream, reads.snapshot(stream, atVersion));
  while (folded.state.version < atVersion)
    folded = foldOn(stream, folded, reads.versions(stream, folded.state.version, atVersion, FOLD_PAGE), atVersion);
  return folded;
}

/** The same from the start, with a look at whether the stream really ends there. */
export function foldCold(reads: PageReads, stream: string): Folded {
  return reads.consistently(() => {
    const folded = foldStream(reads, stream, reads.version(stream));
    const own = headRow(stream, folded);
    if (own !== null) checkHead(stream, folded, reads.row(own.model, own.id));
    return folded;
  });
}

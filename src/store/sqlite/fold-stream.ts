import type { Folded } from "../../kernel/index.ts";
import { FOLD_PAGE, firstFold, foldOn } from "../folding.ts";
import type { PageReads } from "./page-reads.ts";

/** A stream's fold as of a version: the nearest kept fold and the few events behind it. */
export function foldStream(reads: PageReads, stream: string, atVersion: number, from?: Folded): Folded {
  let folded = from ?? firstFold(stream, reads.snapshot(stream, atVersion));
  while (folded.state.version < atVersion)
    folded = foldOn(stream, folded, reads.versions(stream, folded.state.version, atVersion, FOLD_PAGE), atVersion);
  return folded;
}

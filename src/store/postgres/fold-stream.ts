import type { Folded } from "../../kernel/index.ts";
import { FOLD_PAGE, firstFold, foldOn } from "../folding.ts";
import type { PageReads } from "./page-reads.ts";

/** A stream's fold as of a version: the nearest kept fold and the few events behind it. */
export async function foldStream(
  reads: Pick<PageReads, "versions" | "snapshot">,
  stream: string,
  atVersion: number,
  from?: Folded,
): Promise<Folded> {
  let folded = from ?? firstFold(stream, atVersion === 0 ? null : await reads.snapshot(stream, atVersion));
  while (folded.state.version < atVersion) {
    const events = await reads.versions(stream, folded.state.version, atVersion, FOLD_PAGE);
    folded = foldOn(stream, folded, events, atVersion);
  }
  return folded;
}

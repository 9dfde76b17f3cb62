import { emptyFold, evolve, type Folded } from "../../kernel/index.ts";
import { StoreError } from "../port.ts";
import { placed } from "../sqlite/folding.ts";
import type { PageReads } from "./page-reads.ts";

const FOLD_PAGE = 512;

/** A stream's fold as of a version: the nearest kept fold and the few events behind it. */
export async function foldStream(
  reads: Pick<PageReads, "versions" | "snapshot">,
  stream: string,
  atVersion: number,
  from?: Folded,
): Promise<Folded> {
  let folded = from ?? (await nearest(reads, stream, atVersion));
  while (folded.state.version < atVersion) {
    const events = await reads.versions(stream, folded.state.version, atVersion, FOLD_PAGE);
    if (events.length === 0)
      throw new StoreError("event_not_found", { stream, version: atVersion, found: folded.state.version });
    for (const event of events) folded = evolve(folded, placed(event));
  }
  return folded;
}

async function nearest(reads: Pick<PageReads, "snapshot">, stream: string, atVersion: number): Promise<Folded> {
  const kept = atVersion === 0 ? null : await reads.snapshot(stream, atVersion);
  if (kept === null) return emptyFold(stream);
  const folded: Folded = JSON.parse(kept.state);
  return folded;
}

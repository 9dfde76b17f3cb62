import { emptyFold, evolve, type Folded, foldAll, type Placed, recallFact } from "../../kernel/index.ts";
import { type RecordedEvent, StoreError } from "../port.ts";
import type { PageReads } from "./page-reads.ts";

/** A stream's fold as of a version: the nearest kept fold and the few events behind it. */
export function foldStream(reads: PageReads, stream: string, atVersion: number, from?: Folded): Folded {
  let folded = from ?? nearest(reads, stream, atVersion);
  while (folded.state.version < atVersion) {
    const events = reads.versions(stream, folded.state.version, atVersion, FOLD_PAGE);
    if (events.length === 0)
      throw new StoreError("event_not_found", { stream, version: atVersion, found: folded.state.version });
    for (const event of events) folded = evolve(folded, placed(event));
  }
  return folded;
}

/**
 * The row that the stream's last append wrote names that append. A stream that seems to end before it, because an index
 * has lost its last entries, must not be continued from there.
 */
export function checkHead(reads: PageReads, stream: string, folded: Folded): void {
  const [own] = folded.state.version === 0 ? [] : foldAll(stream, folded, []).rows;
  if (own === undefined) return;
  const found = reads.row(own.model, own.id);
  if (found === null || !isOfSameHead(folded, JSON.parse(found)))
    throw new StoreError("log_corrupt", { stream, version: folded.state.version, problem: "head_mismatch" });
}

function isOfSameHead(folded: Folded, row: { readonly head?: unknown; readonly version?: unknown }): boolean {
  return folded.kind === "session" ? row.head === folded.state.headId : row.version === folded.state.version;
}

export function placed(event: RecordedEvent): Placed {
  const { id, version, at, type, data } = event;
  if (data === null) return { id, version, at, fact: null };
  const fact = recallFact(type, data);
  if (fact === null) throw new StoreError("log_newer", { stream: event.stream, version, type });
  return { id, version, at, fact };
}

const FOLD_PAGE = 512;

function nearest(reads: PageReads, stream: string, atVersion: number): Folded {
  const kept = reads.snapshot(stream, atVersion);
  if (kept === null) return emptyFold(stream);
  const folded: Folded = JSON.parse(kept.state);
  return folded;
}

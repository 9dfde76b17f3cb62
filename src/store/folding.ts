import { emptyFold, evolve, type Folded, foldAll, type Model, type Placed, recallFact } from "../kernel/index.ts";
import { type RecordedEvent, StoreError } from "./port.ts";

/** How many events a store reads at once to fold them. */
export const FOLD_PAGE = 512;

/** A fold that was kept, as of a version. */
export interface Snapshot {
  readonly version: number;
  readonly state: string;
}

/** Where folding a stream begins: at the nearest kept fold, or with nothing. */
export function firstFold(stream: string, kept: Snapshot | null): Folded {
  if (kept === null) return emptyFold(stream);
  const folded: Folded = JSON.parse(kept.state);
  return folded;
}

/** The fold, so many events further. */
export function foldOn(stream: string, folded: Folded, events: readonly RecordedEvent[], atVersion: number): Folded {
  if (events.length === 0)
    throw new StoreError("event_not_found", { stream, version: atVersion, found: folded.state.version });
  let next = folded;
  for (const event of events) next = evolve(next, placed(event));
  return next;
}

/**
 * The row that the stream's last append wrote, which names that append; null when there is none to look for. A stream
 * that seems to end before it, because an index has lost its last entries, must not be continued from there.
 */
export function headRow(stream: string, folded: Folded): { readonly model: Model; readonly id: string } | null {
  return (folded.state.version === 0 ? undefined : foldAll(stream, folded, []).rows[0]) ?? null;
}

export function checkHead(stream: string, folded: Folded, found: string | null): void {
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

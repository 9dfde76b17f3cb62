import { emptyFold, evolve, type Folded, type Placed, recallFact } from "../kernel/index.ts";
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

export function placed(event: RecordedEvent): Placed {
  const { id, version, at, type, data } = event;
  if (data === null) return { id, version, at, fact: null };
  const fact = recallFact(type, data);
  if (fact === null) throw new StoreError("log_newer", { stream: event.stream, version, type });
  return { id, version, at, fact };
}

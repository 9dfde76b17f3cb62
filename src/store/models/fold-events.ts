import type { Definitions, Folded, Placed } from "../../kernel/index.ts";
import { type RecordedEvent, StoreError } from "../port.ts";

/** How many events a store reads at once to fold them. */
export const FOLD_PAGE = 512;

/** A fold that was kept, as of a version. */
export interface Snapshot {
  readonly version: number;
  readonly state: string;
}

/** A stream of a kind that this version does not know was written by a later one. */
export function emptyFold(defined: Definitions, stream: string): Folded {
  if (defined.kindOf(stream) === null) throw new StoreError("log_newer", { stream });
  return defined.empty(stream);
}

/** Where folding a stream begins: at the nearest kept fold, or with nothing. */
export function firstFold(defined: Definitions, stream: string, kept: Snapshot | null): Folded {
  if (kept === null) return emptyFold(defined, stream);
  const folded: Folded = JSON.parse(kept.state);
  return folded;
}

/** The fold, so many events further. */
export function foldOn(
  defined: Definitions,
  stream: string,
  folded: Folded,
  events: readonly RecordedEvent[],
  atVersion: number,
): Folded {
  if (events.length === 0)
    throw new StoreError("event_not_found", { stream, version: atVersion, found: folded.state.version });
  let next = folded;
  for (const event of events) next = defined.evolve(stream, next, placed(defined, event));
  return next;
}

/**
 * The books count a stream's events apart from its index. A stream that seems to end earlier, because an index has lost
 * its last entries, must not be continued from there.
 */
export function checkHead(stream: string, folded: Folded, counted: number): void {
  if (folded.state.version !== counted)
    throw new StoreError("log_corrupt", { stream, version: folded.state.version, problem: "head_mismatch" });
}

export function placed(defined: Definitions, event: RecordedEvent): Placed {
  const { id, version, at, type, data } = event;
  if (data === null) return { id, version, at, fact: null };
  const fact = defined.recall(type, data);
  if (fact === null) throw new StoreError("log_newer", { stream: event.stream, version, type });
  return { id, version, at, fact };
}

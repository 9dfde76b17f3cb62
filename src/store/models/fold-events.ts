import type { Definitions, Folded } from "../../domains/index.ts";
import type { Placed } from "../../kernel/index.ts";
import { type RecordedEvent, StoreError } from "../port.ts";

/** How many events a store reads at once for folding. */
export const FOLD_PAGE = 512;

/** A fold snapshot: the fold of a stream at a version. */
export interface Snapshot {
  readonly version: number;
  readonly state: string;
}

/** Throws for an unknown kind of stream, which a later version wrote. */
export function emptyFold(defined: Definitions, stream: string): Folded {
  if (defined.kindOf(stream) === null) throw new StoreError("log_newer", { stream });
  return defined.empty(stream);
}

/** Where folding starts: at the nearest fold snapshot, or empty. */
export function firstFold(defined: Definitions, stream: string, kept: Snapshot | null): Folded {
  if (kept === null) return emptyFold(defined, stream);
  const folded: Folded = JSON.parse(kept.state);
  return folded;
}

/** Applies these events to the fold. */
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
 * The usage table counts a stream's events separately from the index. If the index lost its last entries, the stream
 * would seem shorter, and appending there would break it.
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

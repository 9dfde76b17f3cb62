import type { Cursor, RecordedEvent, Store } from "../../src/store/index.ts";
import { newId } from "./store-home.ts";

/** The part of a store that followers need, in memory. */
export interface MemoryLog
  extends Pick<Store, "cursor" | "setCursor" | "dropCursor" | "readAll" | "lastSeq" | "onAppend"> {
  readonly events: readonly RecordedEvent[];
  readonly grow: (count: number, type?: string) => void;
  /** Like after a restore: shorter, and then with other events. */
  readonly putBack: (size: number) => void;
  readonly cursors: Map<string, Cursor>;
  /** How often a cursor was written. */
  readonly writes: () => number;
}

export function createMemoryLog(): MemoryLog {
  const events: RecordedEvent[] = [];
  const cursors = new Map<string, Cursor>();
  const listeners = new Set<(events: readonly RecordedEvent[]) => void>();
  let writes = 0;
  return {
    events,
    cursors,
    writes: () => writes,
    grow: (count, type = "x.note@1") => {
      const added = Array.from({ length: count }, (_, n) => eventAt(events.length + n + 1, type));
      events.push(...added);
      for (const listener of listeners) listener(added);
    },
    putBack: (size) => void events.splice(size),
    cursor: async (name) => cursors.get(name) ?? null,
    setCursor: async (name, at) => {
      writes += 1;
      cursors.set(name, at);
    },
    dropCursor: async (name) => void cursors.delete(name),
    readAll: async ({ after = 0, before = Number.POSITIVE_INFINITY, limit, types }) => {
      const wanted = events.filter(
        ({ seq, type }) => seq > after && seq < before && (types === undefined || types.includes(type)),
      );
      const page = wanted.slice(0, limit);
      return { events: page, next: wanted.length > limit ? (page.at(-1)?.seq ?? null) : null };
    },
    lastSeq: async () => events.length,
    onAppend: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function eventAt(seq: number, type: string): RecordedEvent {
  const place = { seq, stream: "system", version: seq, type };
  return { ...place, id: newId(), at: "", actor: "operator", cause: null, data: null, hash: "", prev: "" };
}

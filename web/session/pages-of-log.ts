import type { InputOf, LogEvent, OutputOf } from "../../src/client/index.ts";
import { type Anchor, findVersion } from "./find-version.ts";
import { type EventWindow, withNewer, withOlder } from "./window.ts";

export type ReadEvents = (input: InputOf<"session.events">) => Promise<OutputOf<"session.events">>;

export const PAGE = 200;
/** Who scrolls up reads on: fewer, larger pages. */
const OLDER_PAGE = 500;

/** Windows that begin with another page of the log. Null: there is none. */
export interface Pages {
  readonly end: () => Promise<EventWindow>;
  readonly older: () => Promise<EventWindow | null>;
  readonly newer: () => Promise<EventWindow | null>;
  readonly around: (version: number, known: readonly Anchor[]) => Promise<EventWindow | null>;
}

interface PagesDeps {
  readonly id: string;
  readonly read: ReadEvents;
  /** Asked after each read: the stream goes on meanwhile. */
  readonly state: () => { readonly window: EventWindow; readonly newest: number };
}

export function createPages({ id, read, state }: PagesDeps): Pages {
  const own = `session/${id}`;
  const page = async (order: "asc" | "desc", after: number): Promise<readonly LogEvent[]> => {
    const { events } = await read({ id, after, order, limit: PAGE });
    return order === "desc" ? events.toReversed() : events;
  };
  return {
    end: async () => {
      const { events } = await read({ id, order: "desc", limit: PAGE });
      const found = events.toReversed();
      return { events: found, hasOlder: hasBefore(found[0]), hasNewer: false };
    },
    older: async () => {
      const [first] = state().window.events;
      if (first === undefined || !state().window.hasOlder) return null;
      // A fork's first events are its parent's: the path has them.
      const isOwn = first.stream === own && first.version > 1;
      const place = { id, after: first.seq, order: "desc", limit: OLDER_PAGE } as const;
      const { events } = await read(isOwn ? place : { ...place, view: "path" });
      return withOlder(state().window, events, hasBefore(events.at(-1)));
    },
    newer: async () => {
      const last = state().window.events.at(-1);
      if (last === undefined || !state().window.hasNewer) return null;
      const { events, next } = await read({ id, after: last.seq, limit: PAGE });
      return withNewer(state().window, events, next !== null);
    },
    around: async (version, known) => {
      const { events } = state().window;
      if (events.some((event) => event.stream === own && event.version === version)) return null;
      const reads = { before: (seq: number) => page("desc", seq), after: (seq: number) => page("asc", seq) };
      const found = await findVersion(version, known, reads);
      const hasNewer = (found.at(-1)?.version ?? 0) < state().newest;
      return { events: found, hasOlder: hasBefore(found[0]), hasNewer };
    },
  };
}

/** A fork's first event has its parent's talk before it. */
function hasBefore(first: LogEvent | undefined): boolean {
  return first !== undefined && (first.version > 1 || first.type === "session.forked@1");
}

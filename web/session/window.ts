import type { LogEvent } from "../../src/client/index.ts";

/** The part of a session's events that the page holds: one stretch without a hole. */
export interface EventWindow {
  readonly events: readonly LogEvent[];
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
}

export const NO_EVENTS: EventWindow = { events: [], hasOlder: false, hasNewer: false };

/** Beyond this many the far end is dropped, down to the second number: not at every event anew. */
const HELD_MAX = 2_000;
const HELD_AFTER_DROP = 1_500;

/** True when no event is missing between what is held and these. */
export function isNext({ events }: EventWindow, [first]: readonly LogEvent[]): boolean {
  const last = events.at(-1);
  return first === undefined || last === undefined || last.stream !== first.stream || first.version <= last.version + 1;
}

/** Each event once, in the order of the log. */
export function withNewer(window: EventWindow, events: readonly LogEvent[], hasNewer: boolean): EventWindow {
  const last = window.events.at(-1)?.seq ?? -1;
  const fresh = uniqueBySeq(events).filter(({ seq }) => seq > last);
  if (fresh.length === 0 && hasNewer === window.hasNewer) return window;
  return { ...window, events: [...window.events, ...fresh], hasNewer };
}

export function withOlder(window: EventWindow, events: readonly LogEvent[], hasOlder: boolean): EventWindow {
  const first = window.events[0]?.seq ?? Number.MAX_SAFE_INTEGER;
  const fresh = uniqueBySeq(events).filter(({ seq }) => seq < first);
  return { ...window, events: [...fresh, ...window.events], hasOlder };
}

/** Drops the end that nobody looks at, when too much is held. */
export function trimmed(window: EventWindow, far: "oldest" | "newest"): EventWindow {
  if (window.events.length <= HELD_MAX) return window;
  return far === "oldest"
    ? { ...window, events: window.events.slice(-HELD_AFTER_DROP), hasOlder: true }
    : { ...window, events: window.events.slice(0, HELD_AFTER_DROP), hasNewer: true };
}

function uniqueBySeq(events: readonly LogEvent[]): readonly LogEvent[] {
  return [...new Map(events.map((event) => [event.seq, event])).values()].toSorted((one, other) => one.seq - other.seq);
}

import { setImmediate } from "node:timers/promises";
import type { EventPage, RecordedEvent } from "../port.ts";

export interface TailSource {
  /** Events after this seq; of one stream when the reader follows one. */
  readonly page: (after: number, limit: number) => EventPage | Promise<EventPage>;
  /** Called with every append in commit order. Returns a function that unsubscribes. */
  readonly onAppend: (listener: (events: readonly RecordedEvent[]) => void) => () => void;
  /** Undefined means the whole log. */
  readonly stream: string | undefined;
}

const TAIL_PAGE = 100;
/** A reader that is further behind reads from the log again. */
const EVENTS_BEHIND_MAX = 256;

/**
 * Yields the history after the cursor, then live events. Live events come from memory that all readers share. A reader
 * that falls behind reads the log again from its cursor, so it uses no memory and misses nothing.
 */
export async function* tail(
  source: TailSource,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<readonly RecordedEvent[]> {
  const live = hearEvents(source);
  signal.addEventListener("abort", live.wake);
  let cursor = after;
  try {
    while (!signal.aborted) {
      if (live.isBehind()) {
        live.catchUp();
        const page = await source.page(cursor, TAIL_PAGE);
        if (page.events.length > 0) yield page.events;
        cursor = page.next ?? page.events.at(-1)?.seq ?? cursor;
        if (page.next === null) continue;
        live.fallBehind();
        // Yields to the event loop, so that a long history does not block other work.
        await setImmediate();
      } else if (live.isEmpty()) await live.news();
      else {
        // Events appended while the page was read may also be in the page.
        const fresh = live.take().filter(({ seq }) => seq > cursor);
        cursor = fresh.at(-1)?.seq ?? cursor;
        if (fresh.length > 0) yield fresh;
      }
    }
  } finally {
    signal.removeEventListener("abort", live.wake);
    live.stop();
  }
}

interface LiveEvents {
  /** Some events were not buffered and must be read from the log. True at the start. */
  readonly isBehind: () => boolean;
  readonly fallBehind: () => void;
  /** Starts buffering new events. */
  readonly catchUp: () => void;
  readonly isEmpty: () => boolean;
  readonly take: () => readonly RecordedEvent[];
  /** Resolves with the next matching append, or on `wake`. */
  readonly news: () => Promise<void>;
  readonly wake: () => void;
  readonly stop: () => void;
}

function hearEvents({ onAppend, stream }: TailSource): LiveEvents {
  let kept: RecordedEvent[] = [];
  let isBehind = true;
  let resume: () => void = () => undefined;

  const take = (): readonly RecordedEvent[] => {
    const taken = kept;
    kept = [];
    return taken;
  };
  const fallBehind = (): void => {
    kept = [];
    isBehind = true;
  };
  const stop = onAppend((events) => {
    const own = stream === undefined ? events : events.filter((event) => event.stream === stream);
    if (own.length === 0) return;
    if (kept.length + own.length > EVENTS_BEHIND_MAX) fallBehind();
    if (!isBehind) kept.push(...own);
    resume();
  });

  return {
    isBehind: () => isBehind,
    fallBehind,
    catchUp: () => {
      kept = [];
      isBehind = false;
    },
    isEmpty: () => kept.length === 0,
    take,
    news: () =>
      new Promise((resolve) => {
        resume = resolve;
      }),
    wake: () => resume(),
    stop,
  };
}

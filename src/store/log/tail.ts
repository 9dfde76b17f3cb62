import { setImmediate } from "node:timers/promises";
import type { EventPage, RecordedEvent } from "../port.ts";

export interface TailSource {
  /** Events after this global position, of one stream only where the reader follows one. */
  readonly page: (after: number, limit: number) => EventPage | Promise<EventPage>;
  /** Called with every append in order of commits. Returns the way to stop. */
  readonly onAppend: (listener: (events: readonly RecordedEvent[]) => void) => () => void;
  /** Undefined: the whole log. */
  readonly stream: string | undefined;
}

const TAIL_PAGE = 100;
/** How far a reader may be behind before it is sent back to the log. */
const EVENTS_BEHIND_MAX = 256;

/**
 * History after the cursor, then live. Live events come from memory, shared by all readers; a reader that falls behind
 * reads the log again from where it was, so it costs no memory and misses nothing.
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
        // A long history may not keep everybody else waiting until it is through.
        await setImmediate();
      } else if (live.isEmpty()) await live.news();
      else {
        // What was appended while a page was read may be in the page too.
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
  /** Events came that are not kept here: the log has them. True at first. */
  readonly isBehind: () => boolean;
  readonly fallBehind: () => void;
  /** What is appended from now on is kept. */
  readonly catchUp: () => void;
  readonly isEmpty: () => boolean;
  readonly take: () => readonly RecordedEvent[];
  /** Resolves with the next append that matters, or by `wake`. */
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

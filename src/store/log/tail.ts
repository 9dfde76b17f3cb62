import { setImmediate } from "node:timers/promises";
import type { EventPage, RecordedEvent } from "../port.ts";

export interface TailSource {
  /** Events after this global position, of this stream only when one is named. */
  readonly page: (after: number, limit: number) => EventPage | Promise<EventPage>;
  /** Resolves when there may be news, or when the signal ends the wait. */
  readonly news: (signal: AbortSignal) => Promise<void>;
}

const TAIL_PAGE = 500;

/**
 * History, then live, by one rule: read after the cursor until nothing is left, then wait for news.
 * Since the log itself is the buffer, a slow reader costs nothing and misses nothing.
 */
export async function* tail(
  source: TailSource,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<readonly RecordedEvent[]> {
  let cursor = after;
  while (!signal.aborted) {
    const waiting = new AbortController();
    const stop = () => waiting.abort();
    signal.addEventListener("abort", stop, { once: true });
    const news = source.news(waiting.signal);
    try {
      const page = await source.page(cursor, TAIL_PAGE);
      if (page.events.length > 0) yield page.events;
      cursor = page.next ?? page.events.at(-1)?.seq ?? cursor;
      // A long history may not keep everybody else waiting until it is through.
      if (page.next !== null) await setImmediate();
      if (page.next === null && page.events.length === 0) await news;
    } finally {
      waiting.abort();
      signal.removeEventListener("abort", stop);
    }
  }
}

import type { Progress } from "../../contract/index.ts";
import type { StreamItem } from "../../syscalls/index.ts";

export interface CollectBounds {
  readonly limit: number;
  readonly waitMs: number;
  readonly signal: AbortSignal;
  readonly progress: (progress: Progress) => void;
}

export interface Collected {
  readonly items: readonly StreamItem[];
  /** Where the next call goes on; null when nothing came that has a place. */
  readonly cursor: number | null;
  readonly ended: boolean;
}

const SHOWN_CHARS = 200;

/**
 * Takes items until there are enough, until none came for a while, or until the stream is over. It stops only behind an
 * item that has a place, so that the next call repeats nothing: lines stand before the event that they were made from.
 */
export async function collectItems(stream: AsyncIterable<StreamItem>, bounds: CollectBounds): Promise<Collected> {
  const iterator = stream[Symbol.asyncIterator]();
  const items: StreamItem[] = [];
  let cursor: number | null = null;
  let placed = 0;
  try {
    while (!bounds.signal.aborted) {
      const next = await inTime(iterator.next(), bounds);
      if (next === null) break;
      if (next.done === true) return { items, cursor, ended: true };
      items.push(next.value);
      bounds.progress({ message: JSON.stringify(next.value.data).slice(0, SHOWN_CHARS) });
      if (next.value.event !== "line") placed = items.length;
      cursor = next.value.id ?? cursor;
      if (next.value.id !== undefined && items.length >= bounds.limit) break;
    }
    return { items: items.slice(0, placed), cursor, ended: false };
  } finally {
    // Not waited for: it ends when the caller's signal does, which comes after this.
    iterator.return?.().catch(() => undefined);
  }
}

async function inTime<T>(promise: Promise<T>, { waitMs, signal }: CollectBounds): Promise<T | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const over = () => resolve(null);
  const timer = setTimeout(over, waitMs);
  signal.addEventListener("abort", over);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", over);
  }
}

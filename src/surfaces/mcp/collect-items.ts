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
  /** Where the next call continues; null when no item had a cursor. */
  readonly cursor: number | null;
  readonly ended: boolean;
}

const SHOWN_CHARS = 200;

/**
 * Collects items until there are enough, none came for a while, or the stream ended. Stops only after an item with a cursor,
 * so that the next call repeats nothing: lines come before the event they were made from.
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
    // Not awaited: it ends when the caller's signal aborts, which happens later.
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

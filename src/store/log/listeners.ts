import type { RecordedEvent } from "../port.ts";

/** Who wants to know of appends. */
export interface Listeners {
  readonly add: (listener: (events: readonly RecordedEvent[]) => void) => () => void;
  /** In commit order. What was appended is durable: a listener's bug may not make it look as if it had failed. */
  readonly tell: (events: readonly RecordedEvent[]) => void;
  /** Waits for the next append that matters here, or for the signal. */
  readonly heard: (stream: string | undefined, signal: AbortSignal) => Promise<void>;
}

export function createListeners(): Listeners {
  const listeners = new Set<(events: readonly RecordedEvent[]) => void>();
  const add: Listeners["add"] = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    add,
    tell: (events) => {
      for (const listener of [...listeners])
        try {
          listener(events);
        } catch (bug) {
          queueMicrotask(() => {
            throw bug;
          });
        }
    },
    heard: (stream, signal) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const remove = add((events) => {
        if (stream === undefined || events.some((event) => event.stream === stream)) resolve();
      });
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
      return promise.finally(remove);
    },
  };
}

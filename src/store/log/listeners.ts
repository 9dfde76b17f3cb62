import type { RecordedEvent } from "../port.ts";

/** Functions that are called after each append. */
export interface Listeners {
  readonly add: (listener: (events: readonly RecordedEvent[]) => void) => () => void;
  /** Calls listeners in commit order. The events are durable, so an error of a listener must not fail the append. */
  readonly tell: (events: readonly RecordedEvent[]) => void;
}

export function createListeners(): Listeners {
  const listeners = new Set<(events: readonly RecordedEvent[]) => void>();
  return {
    add: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
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
  };
}

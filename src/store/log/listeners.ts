import type { RecordedEvent } from "../port.ts";

/** Who wants to know of appends. */
export interface Listeners {
  readonly add: (listener: (events: readonly RecordedEvent[]) => void) => () => void;
  /** In commit order. What was appended is durable: a listener's bug may not make it look as if it had failed. */
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

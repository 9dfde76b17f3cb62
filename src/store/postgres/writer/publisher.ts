import type { Listeners } from "../../log/listeners.ts";
import type { RecordedEvent } from "../../port.ts";

/**
 * Notifies listeners of every event once, in order, whoever wrote it. Our own events are passed on at once; if another
 * daemon has written in between, the gap is read from the log.
 */
export interface Publisher {
  readonly own: (events: readonly RecordedEvent[]) => void;
  /** The log has grown at least to this seq. */
  readonly heard: (seq: number) => void;
  readonly close: () => Promise<void>;
}

const PAGE = 500;

export function createPublisher(deps: {
  readonly after: number;
  readonly read: (after: number, limit: number) => Promise<readonly RecordedEvent[]>;
  readonly listeners: Pick<Listeners, "tell">;
}): Publisher {
  let told = deps.after;
  let known = deps.after;
  let catching: Promise<void> | null = null;
  let isClosed = false;

  const tell = (events: readonly RecordedEvent[]): void => {
    told = events.at(-1)?.seq ?? told;
    known = Math.max(known, told);
    deps.listeners.tell(events);
  };
  /** A failed read is repeated at the next notification. */
  const catchUp = async (): Promise<void> => {
    while (told < known && !isClosed) {
      const events = await deps.read(told, PAGE).catch(() => []);
      if (events.length === 0) break;
      if (!isClosed) tell(events);
    }
    catching = null;
  };
  const heard = (seq: number): void => {
    known = Math.max(known, seq);
    if (told < known && !isClosed) catching ??= catchUp();
  };
  return {
    own: (events) => {
      const [first] = events;
      if (first === undefined || isClosed) return;
      if (catching === null && first.seq === told + 1) tell(events);
      else heard(events.at(-1)?.seq ?? 0);
    },
    heard,
    close: async () => {
      isClosed = true;
      await catching;
    },
  };
}

import type { Listeners } from "../../log/listeners.ts";
import type { RecordedEvent } from "../../port.ts";

/**
 * Tells listeners of every event once, in order, whoever wrote it. What was written here is told at once; where
 * somebody else has written in between, the log is read from where the listeners are.
 */
export interface Publisher {
  readonly own: (events: readonly RecordedEvent[]) => void;
  /** The log has grown to this position, or further. */
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
  /** What cannot be read now is read when there is news again. */
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

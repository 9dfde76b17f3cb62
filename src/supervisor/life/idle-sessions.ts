import type { Clock } from "../../host/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";

/** Sessions that this daemon started or woke and that are idle now: candidates for hibernation. */
export interface Awake {
  readonly idleLongerThan: (ms: number) => readonly string[];
  readonly all: () => readonly string[];
  readonly stop: () => void;
}

const IDLE_AGAIN: readonly string[] = ["session.started@1", "session.woken@1", "session.resumed@1", "turn.ended@1"];
const NOT_IDLE: readonly string[] = [
  "turn.started@1",
  "session.hibernated@1",
  "session.suspended@1",
  "session.exited@1",
  "session.killed@1",
  "session.failed@1",
];
const SESSION = "session/";

export function watchAwake(store: Pick<Store, "onAppend">, clock: Clock): Awake {
  const since = new Map<string, number>();
  const hear = (events: readonly RecordedEvent[]): void => {
    for (const { stream, type } of events) {
      if (!stream.startsWith(SESSION)) continue;
      const id = stream.slice(SESSION.length);
      if (IDLE_AGAIN.includes(type)) since.set(id, clock.steadyMs());
      if (NOT_IDLE.includes(type)) since.delete(id);
    }
  };
  return {
    idleLongerThan: (ms) => [...since].filter(([, ms0]) => clock.steadyMs() - ms0 > ms).map(([id]) => id),
    all: () => [...since.keys()],
    stop: store.onAppend(hear),
  };
}

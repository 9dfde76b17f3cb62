import type { Clock } from "../../host/index.ts";

const PING_EVERY_MS = 2000;
/**
 * A process that leaves so many pings in a row unanswered is caught in a loop. Counted, not timed: a daemon that was
 * stopped for a while finds an engine that is well.
 */
const SILENT_PINGS_MAX = 5;
/** Loading the engine on a busy machine takes longer than an answer. */
const SILENT_PINGS_AT_START_MAX = 15;

/** Pings a process. A loop in it that does not end holds up every session, so its owner is told. */
export function watchAnswers(
  clock: Pick<Clock, "after">,
  ping: (n: number) => void,
  onSilent: (silentMs: number) => void,
): { readonly heard: () => void; readonly stop: () => void } {
  let n = 0;
  let unanswered = 0;
  let unansweredMax = SILENT_PINGS_AT_START_MAX;
  const look = (): void => {
    if (unanswered >= unansweredMax) {
      onSilent(unanswered * PING_EVERY_MS);
      return;
    }
    n += 1;
    unanswered += 1;
    ping(n);
    cancel = clock.after(PING_EVERY_MS, look);
  };
  let cancel = clock.after(PING_EVERY_MS, look);
  return {
    heard: () => {
      unanswered = 0;
      unansweredMax = SILENT_PINGS_MAX;
    },
    stop: () => cancel(),
  };
}

import {
  type AlarmClock,
  type AlarmsState,
  type Committer,
  createQueues,
  definedLimits,
  type Queues,
  startAlarms,
} from "../../commit/index.ts";
import type { OpenedHome } from "../home/open-home.ts";

/** Pending work: alarms, and items in lanes. */
export interface WaitingService {
  readonly alarms: () => Promise<AlarmsState>;
  readonly stuckItems: Queues["stuck"];
  readonly waits: Queues["waits"];
}

/** Runs alarms and lanes once the lists they read are filled. */
export interface Waiting {
  readonly service: WaitingService;
  /** Returns at once; missing lists are filled in the background. */
  readonly start: () => void;
  readonly stop: () => Promise<void>;
}

const NONE_SET: AlarmsState = { set: 0, due: 0, overdue: 0, lateMs: 0, stuck: [] };
const FILL_AGAIN_MS = 1000;
const FILL_AGAIN_MAX_MS = 60_000;

export function openWaiting({ store, clock, log }: OpenedHome, committer: Committer): Waiting {
  const { write } = log;
  const options = { store, committer, clock, random: Math.random, log: write };
  const stopping = new AbortController();
  let alarms: AlarmClock | null = null;
  let queues: Queues | null = null;

  /** A stream that gets events meanwhile is skipped and filled in the next round. */
  const fillLists = async (): Promise<void> => {
    for (let waitMs = FILL_AGAIN_MS; ; waitMs = Math.min(2 * waitMs, FILL_AGAIN_MAX_MS)) {
      const lists = await store.unfilledLists();
      if (lists.length === 0) return;
      write("lists that are new to this log are being filled", { lists });
      await store.rebuild({ fence: committer.fence }).catch((thrown: unknown) => {
        if (!stopping.signal.aborted) write("lists could not be filled; it is tried again", { reason: String(thrown) });
      });
      if ((await store.unfilledLists()).length === 0) return write("lists are filled", { lists });
      await clock.sleep(waitMs, stopping.signal);
    }
  };
  const begin = (): void => {
    if (stopping.signal.aborted) return;
    alarms = startAlarms(options);
    queues = createQueues({ ...options, limitOf: definedLimits(store.definitions) });
  };

  return {
    service: {
      alarms: async () => (await alarms?.state()) ?? NONE_SET,
      stuckItems: () => queues?.stuck() ?? [],
      waits: async (query) => (await queues?.waits(query)) ?? { waits: [], next: null },
    },
    start: () =>
      void fillLists().then(begin, (thrown: unknown) => {
        if (!stopping.signal.aborted) write("alarms and lanes could not be started", { reason: String(thrown) });
      }),
    stop: async () => {
      stopping.abort();
      await Promise.all([alarms?.stop(), queues?.stop()]);
    },
  };
}

import type { Clock } from "../../host/index.ts";
import { QUEUED, type QueuedRow, stateRowId } from "../../kernel/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";
import { createBackoff } from "../backoff.ts";
import type { Committer } from "../committer.ts";
import { kindsWith } from "../kinds-with.ts";
import type { Trouble } from "../trouble.ts";
import { createLaneMemory } from "./lane-memory.ts";
import { lanesOf, ownerOf, waitingIn } from "./lane-rows.ts";
import { startItem } from "./start-item.ts";
import { type LaneLimit, listWaits, type WaitPage, type WaitQuery } from "./waits.ts";

export interface Queues {
  /** Starts the items that have room in the lane; resolves when they are started. */
  readonly look: (lane: string) => Promise<void>;
  /** All waiting items of all lanes, and why each waits. */
  readonly waits: (query: WaitQuery) => Promise<WaitPage>;
  /** Items that had room and failed to start. */
  readonly stuck: () => readonly (Trouble & { readonly id: string })[];
  /** Starts no more items; waits for running starts. */
  readonly stop: () => Promise<void>;
}

export interface QueueOptions {
  readonly store: Pick<Store, "definitions" | "row" | "rows" | "count" | "onAppend" | "foldStream">;
  readonly committer: Pick<Committer, "change">;
  readonly clock: Clock;
  /** Random number for retry waits: at least 0, less than 1. */
  readonly random: () => number;
  readonly log: (message: string, details: object) => void;
  /** How many items of a lane may run; null when its owner starts them itself. */
  readonly limitOf: (lane: string) => LaneLimit | null;
}

/** Several appends within this time cause one look. */
const PAUSE_MS = 20;
/** A first failure may be a race; it is not reported. */
const TOLD_TRIES = 2;

/**
 * Starts waiting items, never more than a lane may run at once. It looks after a daemon start and after appends;
 * whoever lifts a pause or raises a limit must ask for a look.
 */
export function createQueues(options: QueueOptions): Queues {
  const { store, clock, limitOf, log } = options;
  const owners = store.definitions.aggregates.filter(({ laneMax }) => laneMax !== null).map(({ kind }) => kind);
  const queueing = kindsWith(store, ({ hasQueued }) => hasQueued);
  const backoff = createBackoff(clock, options.random);
  const memory = createLaneMemory(store);
  const looks = new Map<string, { running: Promise<void>; isAskedAgain: boolean }>();
  const touched = new Map<string, number>();
  let cancelTimer: (() => void) | null = null;
  let cancelRetry: (() => void) | null = null;
  let settling: Promise<void> = Promise.resolve();
  let isStopped = false;

  const start = async (row: QueuedRow): Promise<void> => {
    const id = stateRowId(row.stream, row.item);
    await startItem(options, row).then(
      () => backoff.worked(id),
      (thrown: unknown) => {
        const { tries, code, message } = backoff.failed(id, thrown);
        if (tries === TOLD_TRIES && !isStopped)
          log("an item could not be started although its lane has room; trying again", {
            id,
            lane: row.lane,
            code,
            message,
          });
      },
    );
  };
  const nextIn = async (lane: string): Promise<QueuedRow | null> => {
    for await (const row of waitingIn(store, lane))
      if (row.heldBy === null && !backoff.isWaiting(stateRowId(row.stream, row.item))) return row;
    return null;
  };
  /** One after another: the next free place is counted after the last one was taken. */
  const fill = async (lane: string): Promise<void> => {
    while (!isStopped) {
      const limit = limitOf(lane);
      if (limit === null || limit.pausedBecause !== undefined || backoff.isFull()) return;
      if ((await store.count(QUEUED, { lane, running: true })) >= limit.max) return;
      const next = await nextIn(lane);
      if (next === null) return;
      await start(next);
    }
  };
  /** Everyone who asks during a look shares the next look. */
  const look = (lane: string): Promise<void> => {
    const known = looks.get(lane);
    if (known !== undefined) {
      known.isAskedAgain = true;
      return known.running;
    }
    const fresh = { running: Promise.resolve(), isAskedAgain: true };
    looks.set(lane, fresh);
    fresh.running = (async () => {
      while (fresh.isAskedAgain && !isStopped) {
        fresh.isAskedAgain = false;
        await fill(lane);
      }
    })().finally(() => {
      looks.delete(lane);
      retryLater();
    });
    return fresh.running;
  };
  const lookAtAll = async (): Promise<void> => {
    for (const kind of owners) for await (const lane of lanesOf(store, kind)) await look(lane);
  };
  const failedLook = (thrown: unknown): void => {
    if (isStopped) return;
    log("the queues could not be read; trying again", { reason: String(thrown) });
    retryLater(RETRY_LOOK_MS);
  };

  const retryLater = (atLeastMs: number | null = backoff.nextInMs()): void => {
    if (atLeastMs === null || cancelRetry !== null || isStopped) return;
    cancelRetry = clock.after(Math.max(PAUSE_MS, atLeastMs), () => {
      cancelRetry = null;
      settling = settling.then(forgetEnded).then(lookAtAll).catch(failedLook);
    });
  };
  /** Items that failed and whose wait is over. */
  const forgetEnded = async (): Promise<void> => {
    for (const { id } of backoff.all()) if ((await store.row(QUEUED, id))?.at !== "waiting") backoff.worked(id);
  };
  /** Lanes that the appended streams were in, or are in now. */
  const lookAtTouched = async (): Promise<void> => {
    const streams = new Map(touched);
    touched.clear();
    const lanes = await memory.lanesOf(streams);
    if (lanes === "unknown") return lookAtAll();
    await Promise.all([...lanes].filter((lane) => owners.includes(ownerOf(lane))).map(look));
  };
  const news = (events: readonly RecordedEvent[]): void => {
    for (const { stream, version } of events)
      if (queueing.has(stream) && !touched.has(stream)) touched.set(stream, version);
    if (touched.size === 0 || cancelTimer !== null || isStopped) return;
    cancelTimer = clock.after(PAUSE_MS, () => {
      cancelTimer = null;
      settling = settling.then(lookAtTouched).catch(failedLook);
    });
  };
  // Without owned lanes sessions start their turns themselves, so there is nothing to listen for.
  const stopListening = owners.length === 0 ? () => undefined : store.onAppend(news);
  if (owners.length > 0) settling = lookAtAll().catch(failedLook);

  return {
    look,
    waits: (query) => listWaits({ store, limitOf, trouble: backoff.trouble }, query),
    stuck: () => backoff.all().filter(({ tries }) => tries >= TOLD_TRIES),
    stop: async () => {
      isStopped = true;
      stopListening();
      cancelTimer?.();
      cancelRetry?.();
      await Promise.allSettled([settling, ...[...looks.values()].map(({ running }) => running)]);
    },
  };
}

const RETRY_LOOK_MS = 5000;

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
  /** Starts what may start in the lane now; resolves when that is done. */
  readonly look: (lane: string) => Promise<void>;
  /** Everything that waits, in every lane, and why. */
  readonly waits: (query: WaitQuery) => Promise<WaitPage>;
  /** Items that have a place and could not be started. */
  readonly stuck: () => readonly (Trouble & { readonly id: string })[];
  /** Nothing is started from now on; waits for what is under way. */
  readonly stop: () => Promise<void>;
}

export interface QueueOptions {
  readonly store: Pick<Store, "definitions" | "row" | "rows" | "count" | "onAppend" | "foldStream">;
  readonly committer: Pick<Committer, "change">;
  readonly clock: Clock;
  /** For the waits after a failure: at least 0, less than 1. */
  readonly random: () => number;
  readonly log: (message: string, details: object) => void;
  /** How many of a lane may run; null for a lane whose owner starts what is in it itself. */
  readonly limitOf: (lane: string) => LaneLimit | null;
}

/** Appends that come together are looked at together. */
const PAUSE_MS = 20;
/** The first time may be a race that is over by the next one. */
const TOLD_TRIES = 2;

/**
 * Starts what waits in lanes, never more than a lane may run at once. Looks by itself after a start of the daemon and
 * after appends; whoever lifts a pause or raises a limit asks for a look.
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
  /** One after another: the next place is counted when the last one is taken. */
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
  /** Of those who ask while one is under way all get the one after it. */
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
  /** Those that failed and do not wait any more. */
  const forgetEnded = async (): Promise<void> => {
    for (const { id } of backoff.all()) if ((await store.row(QUEUED, id))?.at !== "waiting") backoff.worked(id);
  };
  /** Lanes that the streams which were appended to were in, or are in now. */
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
  // Where no kind owns lanes, sessions start their turns themselves and nobody listens.
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

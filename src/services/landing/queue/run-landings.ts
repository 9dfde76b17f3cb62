import { isSettled, LANDINGS, LandingStream, landingLane } from "../../../domains/index.ts";
import type { RecordedEvent } from "../../../store/index.ts";
import { createLane, type Lane } from "./lane.ts";
import type { LaneParts } from "./lane-parts.ts";

/** Runs lanes while something is under way in them. */
export interface Runner {
  readonly start: () => Promise<void>;
  /** Waits a moment for what is under way; the next daemon takes up what is not over by then. */
  readonly stop: () => Promise<void>;
}

const STREAM = "landing/";
const TAKEN_MAX = 1000;
const AGAIN_MS = 5000;
const STOP_MS = 2000;
const LANES_MAX = 200;

interface KnownLane {
  readonly lane: Lane;
  isAskedAgain: boolean;
  isRunning: boolean;
  done: Promise<void>;
}

export function createRunner(parts: Omit<LaneParts, "stopping">): Runner {
  const { deps, kept, facts } = parts;
  const { store, clock, log } = deps;
  const stopping = new AbortController();
  /** Also idle ones: a lane remembers what was tried, and how long its checks take. */
  const lanes = new Map<string, KnownLane>();
  let stopListening = (): void => undefined;

  const wake = (name: string): void => {
    const mine = lanes.get(name) ?? lane(name);
    mine.isAskedAgain = true;
    if (!mine.isRunning) mine.done = run(name, mine);
  };
  const lane = (name: string): KnownLane => {
    for (const [other, { isRunning }] of lanes) if (lanes.size >= LANES_MAX && !isRunning) lanes.delete(other);
    const made = { lane: createLane({ ...parts, stopping: stopping.signal }, name), done: Promise.resolve() };
    const mine = { ...made, isAskedAgain: false, isRunning: false };
    lanes.set(name, mine);
    return mine;
  };
  const run = async (name: string, mine: KnownLane): Promise<void> => {
    mine.isRunning = true;
    while (mine.isAskedAgain && !stopping.signal.aborted) {
      mine.isAskedAgain = false;
      await mine.lane.run().catch(async (thrown: unknown) => {
        if (stopping.signal.aborted) return;
        log("the landings onto a branch stopped; trying again", { lane: name, reason: String(thrown) });
        await clock.sleep(AGAIN_MS, stopping.signal).catch(() => undefined);
        mine.isAskedAgain = true;
      });
    }
    mine.isRunning = false;
  };

  const news = (events: readonly RecordedEvent[]): void => {
    for (const { stream, type } of events) {
      if (!stream.startsWith(STREAM)) continue;
      const id = stream.slice(STREAM.length);
      if (type === "landing.ejected@1") for (const { lane } of lanes.values()) lane.drop(id);
      if (type === "landing.ejected@1") void kept.drop(id);
      if (type === "landing.started@1") void wakeLaneOf(id);
    }
  };
  const wakeLaneOf = async (id: string): Promise<void> => {
    const state = await store.fold(LandingStream, id).catch(() => null);
    if (state !== null && state.at !== "absent" && !stopping.signal.aborted) wake(landingLane(state.order));
  };
  const takeUp = async (): Promise<void> => {
    const rows = await store.rows(LANDINGS, { where: { state: "checking" }, limit: TAKEN_MAX });
    for (const { id } of rows) await facts.start(id);
    for (const row of rows) wake(landingLane(row.order));
    await kept.sweep(async (id) => {
      const row = await store.row(LANDINGS, id);
      return row !== null && !isSettled(row);
    });
  };

  return {
    start: async () => {
      stopListening = store.onAppend(news);
      while (!stopping.signal.aborted) {
        try {
          return await takeUp();
        } catch (thrown) {
          if (stopping.signal.aborted) return;
          log("landings of the last daemon could not be taken up; trying again", { reason: String(thrown) });
          await clock.sleep(AGAIN_MS, stopping.signal).catch(() => undefined);
        }
      }
    },
    stop: async () => {
      stopListening();
      stopping.abort();
      const all = Promise.allSettled([...lanes.values()].map(({ done }) => done));
      const late = new AbortController();
      await Promise.race([all, clock.sleep(STOP_MS, late.signal).catch(() => undefined)]);
      late.abort();
    },
  };
}

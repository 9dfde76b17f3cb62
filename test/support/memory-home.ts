import { type Committer, createCommitter, UNBOUNDED } from "../../src/commit/index.ts";
import type { Clock } from "../../src/host/index.ts";
import type { Store } from "../../src/store/index.ts";
import { createChance } from "../sim/chance.ts";
import { createDisk } from "../sim/disk.ts";
import { createSimStore } from "../sim/sim-store.ts";
import { newRedactor } from "./redactor.ts";
import { newId } from "./store-home.ts";

/** A committer on a log in memory, and time that passes by hand: for tests of what decides, not of what stores. */
export interface MemoryHome {
  readonly store: Store;
  readonly committer: Committer;
  readonly clock: Clock;
  /** Sets the clock and runs the timers that are due. */
  readonly pass: (ms: number) => void;
  /** How long each timer still waits. */
  readonly timersMs: () => readonly number[];
}

const START_MS = Date.UTC(2026, 0, 1);
const NO_FAULTS = { diskFull: 0, dieBefore: 0, dieAfter: 0, slowMs: 0, checkFence: false };

export function makeMemoryHome(): MemoryHome {
  let nowMs = START_MS;
  const timers = new Set<{ readonly atMs: number; readonly run: () => void }>();
  const clock = {
    nowMs: () => nowMs,
    steadyMs: () => nowMs,
    iso: (ms: number) => new Date(ms).toISOString(),
    sleep: () => Promise.resolve(),
    after: (ms: number, run: () => void) => {
      const timer = { atMs: nowMs + ms, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    step: () => Promise.resolve(false),
  };
  const life = { dead: false, zombie: false };
  const store = createSimStore(createDisk(), clock, createChance(1), NO_FAULTS, life, () => undefined);
  return {
    store,
    committer: createCommitter({ store, clock, newId, fence: 0, bounds: UNBOUNDED, redactor: newRedactor() }),
    clock,
    pass: (ms) => {
      nowMs += ms;
      for (const timer of [...timers].filter(({ atMs }) => atMs <= nowMs)) {
        timers.delete(timer);
        timer.run();
      }
    },
    timersMs: () => [...timers].map(({ atMs }) => atMs - nowMs),
  };
}

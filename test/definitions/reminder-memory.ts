import { type Committer, createCommitter, UNBOUNDED } from "../../src/commit/index.ts";
import { createDefinitions } from "../../src/domains/index.ts";
import { type RecordedEvent, type Store, StoreError } from "../../src/store/index.ts";
import { createChance } from "../sim/chance.ts";
import { createDisk, type Disk } from "../sim/disk.ts";
import { createSimStore } from "../sim/sim-store.ts";
import { createVirtualClock, type VirtualClock } from "../sim/virtual-clock.ts";
import { newRedactor } from "../support/redactor.ts";
import { newId } from "../support/store-home.ts";
import { AGGREGATES } from "./aggregates.ts";
import { remindersIn } from "./reminder-home.ts";

/** Reminders in memory, on a clock that only moves when told to: every wait of the code under test takes no time. */
export interface ReminderMemory {
  readonly clock: VirtualClock;
  readonly disk: Disk;
  readonly store: Store;
  readonly committer: Committer;
  readonly remind: ReturnType<typeof remindersIn>["remind"];
  /** Runs timers until this much time has passed. */
  readonly pass: (ms: number) => Promise<void>;
  /** Milliseconds since the start. */
  readonly elapsedMs: () => number;
  readonly at: (ms: number) => string;
}

const NO_FAULTS = { diskFull: 0, dieBefore: 0, dieAfter: 0, slowMs: 0, checkFence: false };

export function createReminderMemory(): ReminderMemory {
  const clock = createVirtualClock();
  const startMs = clock.nowMs();
  const disk = createDisk(createDefinitions(AGGREGATES));
  const listeners = new Set<(events: readonly RecordedEvent[]) => void>();
  const life = { dead: false, zombie: false };
  const store: Store = {
    ...createSimStore(disk, clock, createChance(1), NO_FAULTS, life, () => undefined),
    append: async (parts, options) => {
      const written = disk.write(parts, options, false);
      if ("refused" in written) throw new StoreError(written.refused, { stream: written.stream ?? "" });
      for (const listener of listeners) listener(written);
      return written;
    },
    onAppend: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const committer = createCommitter({ store, clock, newId, fence: 0, bounds: UNBOUNDED, redactor: newRedactor() });
  return {
    clock,
    disk,
    store,
    committer,
    remind: remindersIn(() => store).remind,
    pass: async (ms) => {
      let isOver = false;
      clock.after(ms, () => {
        isOver = true;
      });
      while (!isOver) await clock.step();
    },
    elapsedMs: () => clock.nowMs() - startMs,
    at: (ms) => clock.iso(startMs + ms),
  };
}

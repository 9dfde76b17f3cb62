import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "./clock.ts";

export interface MemoryWatch {
  readonly clock: Clock;
  /** The share of the time since the last call in which the event loop was busy. */
  readonly busyShare: () => number;
  /** Resident memory of the process, in bytes. */
  readonly residentBytes: () => number;
  readonly collect: () => void;
}

const LOOK_EVERY_MS = 1000;
const IDLE_SHARE_MAX = 0.1;
/** Less is not worth a collection of some 30 ms. */
const GROWTH_MIN_BYTES = 8 * 1024 * 1024;

/**
 * Gives memory back once the daemon is idle after a start or a burst of work. V8 keeps the room it took, up to several times
 * what is alive. Flags that make it take less would slow down every thread: its code cache is valid for one set of flags.
 */
export function returnMemoryWhenIdle({ clock, busyShare, residentBytes, collect }: MemoryWatch): () => void {
  let keptBytes = 0;
  const look = (): void => {
    cancel = clock.after(LOOK_EVERY_MS, look);
    if (busyShare() > IDLE_SHARE_MAX || residentBytes() - keptBytes < GROWTH_MIN_BYTES) return;
    collect();
    keptBytes = residentBytes();
  };
  let cancel = clock.after(LOOK_EVERY_MS, look);
  return () => cancel();
}

export function systemMemory(clock: Clock): MemoryWatch {
  let before = performance.eventLoopUtilization();
  return {
    clock,
    busyShare: () => {
      const { utilization } = performance.eventLoopUtilization(before);
      before = performance.eventLoopUtilization();
      return utilization;
    },
    residentBytes: () => process.memoryUsage.rss(),
    collect: collectGarbage,
  };
}

/** Only this kind of collection also shrinks the young generation. A new context has the function; ours was made without. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const gc: NodeJS.GCFunction = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  gc({ type: "major", flavor: "last-resort", execution: "sync" });
}

import { statfs } from "node:fs/promises";
import type { Clock } from "./clock.ts";

/** The free space on the disk. `low`: nothing new may start. `scarce`: the rest is reserved for ending sessions. */
export interface DiskState {
  readonly freeBytes: number;
  readonly totalBytes: number;
  readonly level: "enough" | "low" | "scarce";
}

export type ReadSpace = () => Promise<{ readonly freeBytes: number; readonly totalBytes: number }>;

export interface DiskWatch {
  readonly state: () => DiskState;
  /** Checks now instead of at the next interval. */
  readonly look: () => Promise<DiskState>;
  readonly stop: () => void;
}

const LOOK_EVERY_MS = 1000;
/** Below this part of the limit even running turns end. */
const SCARCE_PART = 1 / 4;
/** A little more than the limit must be free before the state changes back, so that it does not flip back and forth. */
const ENOUGH_AGAIN_PART = 1.05;

/** Checks the free space periodically. An unreadable value counts as enough, because a guess must not stop work. */
export async function watchDisk(deps: {
  readonly read: ReadSpace;
  readonly clock: Clock;
  readonly limitBytes: () => number;
  readonly onChange: (state: DiskState) => void;
}): Promise<DiskWatch> {
  let state: DiskState = { freeBytes: Number.MAX_SAFE_INTEGER, totalBytes: Number.MAX_SAFE_INTEGER, level: "enough" };
  let stopped = false;
  let cancel: () => void = () => undefined;

  const look = async (): Promise<DiskState> => {
    const space = await deps.read().catch(() => null);
    if (space === null) return state;
    const level = levelOf(space.freeBytes, deps.limitBytes(), state.level);
    const isNew = level !== state.level;
    state = { ...space, level };
    if (isNew) deps.onChange(state);
    return state;
  };
  const again = (): void => {
    cancel = deps.clock.after(LOOK_EVERY_MS, () => {
      void look().finally(() => {
        if (!stopped) again();
      });
    });
  };
  await look();
  again();
  return {
    state: () => state,
    look,
    stop: () => {
      stopped = true;
      cancel();
    },
  };
}

/** The free space of a folder's file system that its owner may use. */
export function spaceAt(folder: string): ReadSpace {
  return async () => {
    const { bavail, bsize, blocks } = await statfs(folder);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  };
}

function levelOf(freeBytes: number, limitBytes: number, before: DiskState["level"]): DiskState["level"] {
  if (freeBytes < limitBytes * SCARCE_PART) return "scarce";
  if (freeBytes < limitBytes) return "low";
  return before !== "enough" && freeBytes < limitBytes * ENOUGH_AGAIN_PART ? "low" : "enough";
}

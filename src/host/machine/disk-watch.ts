import { statfs } from "node:fs/promises";
import type { Clock } from "./clock.ts";

/** What is left on the disk. `low`: nothing new may begin; `scarce`: what is left is for ending things. */
export interface DiskState {
  readonly freeBytes: number;
  readonly totalBytes: number;
  readonly level: "enough" | "low" | "scarce";
}

export type ReadSpace = () => Promise<{ readonly freeBytes: number; readonly totalBytes: number }>;

export interface DiskWatch {
  readonly state: () => DiskState;
  /** Looks now instead of at the next round. */
  readonly look: () => Promise<DiskState>;
  readonly stop: () => void;
}

const LOOK_EVERY_MS = 1000;
/** Below this part of the limit even running turns end. */
const SCARCE_PART = 1 / 4;
/** A little more than the limit must be free before it counts as enough again: it would go back and forth otherwise. */
const ENOUGH_AGAIN_PART = 1.05;

/** Looks at the free space every so often. What cannot be read counts as enough: a guess must not stop the work. */
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

/** Of the file system that a folder lies on, as far as its owner may use it. */
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

import { defineList } from "./list.ts";

/** An item of a stream that waits in a lane, or runs. */
export interface Queued {
  /** Unique within its stream. */
  readonly item: string;
  /** Items of one lane wait for each other. */
  readonly lane: string;
  /** 0 to 9; higher goes first. */
  readonly priority: number;
  /** Within one priority lower goes first; an event's id, or its time. */
  readonly order: string;
  readonly at: "waiting" | "running";
  /** Why it cannot start even with room; null when only the lane decides. */
  readonly heldBy: string | null;
}

export interface QueuedRow extends Queued {
  readonly stream: string;
}

/** All waiting items, and the running items of lanes with a limit. */
export const QUEUED = defineList<QueuedRow>()({
  name: "queued",
  table: "queued",
  keys: {
    lane: { text: ({ lane }) => lane, indexed: true },
    running: { flag: ({ at }) => at === "running" },
    place: { text: (row) => placeInLane(row), indexed: true },
  },
});

const PRIORITY_MAX = 9;

/** Compared as text it gives the order in which a lane is served. */
export function placeInLane({ priority, order }: Pick<Queued, "priority" | "order">): string {
  return `${PRIORITY_MAX - Math.min(PRIORITY_MAX, Math.max(0, Math.trunc(priority)))} ${order}`;
}

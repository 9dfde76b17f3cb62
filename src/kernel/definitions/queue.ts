import { defineList } from "./list.ts";

/** An item of a stream that waits for its turn in a lane, or has it. */
export interface Queued {
  /** One of each name in a stream. */
  readonly item: string;
  /** Those of one lane wait for each other. */
  readonly lane: string;
  /** 0 to 9; the higher goes first. */
  readonly priority: number;
  /** Among the same priority the lower goes first; the id of an event, or its time. */
  readonly order: string;
  readonly at: "waiting" | "running";
  /** Why it cannot start whatever the lane says; null when only the lane decides. */
  readonly heldBy: string | null;
}

export interface QueuedRow extends Queued {
  readonly stream: string;
}

/** Everything that waits anywhere, and what runs in lanes with a limit. */
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

/** Compared as text, it is the order in which a lane is served. */
export function placeInLane({ priority, order }: Pick<Queued, "priority" | "order">): string {
  return `${PRIORITY_MAX - Math.min(PRIORITY_MAX, Math.max(0, Math.trunc(priority)))} ${order}`;
}

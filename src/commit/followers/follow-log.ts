import type { Clock } from "../../host/index.ts";
import type { Follower, Store } from "../../store/index.ts";
import { type DefinedFollower, storedFollower } from "./define-follower.ts";
import { type FollowerState, type RunningFollower, startFollower } from "./run-follower.ts";

/** All followers of the log. */
export interface Followers {
  readonly states: () => readonly FollowerState[];
  /**
   * Brings the follower to the present end of the log without a pause; rejects with its error if it cannot get there.
   */
  readonly caughtUp: (name: string) => Promise<void>;
  /** Deletes what the follower has made and starts it again. Resolves when the old output is gone. */
  readonly restart: (name: string) => Promise<void>;
  /** Starts no more pages; waits a few seconds at most for running ones. */
  readonly close: () => Promise<void>;
}

export interface FollowOptions {
  readonly store: Pick<Store, "cursor" | "setCursor" | "dropCursor" | "readAll" | "lastSeq" | "onAppend">;
  readonly fence: number;
  readonly followers: readonly (Follower | DefinedFollower)[];
  readonly clock: Clock;
  /** Random number for retry waits: at least 0, less than 1. */
  readonly random: () => number;
  readonly log: (message: string, details: object) => void;
}

/** Runs all followers. Each has its own pace; a slow or failing one delays neither others nor appends. */
export async function followLog(options: FollowOptions): Promise<Followers> {
  const { store, fence, followers, clock, random, log } = options;
  const running = new Map<string, RunningFollower>();
  let end = 0;
  const stopListening = store.onAppend((events) => {
    end = Math.max(end, events.at(-1)?.seq ?? 0);
    for (const follower of running.values()) follower.news();
  });
  end = Math.max(end, await store.lastSeq());
  for (const given of followers) {
    const follower = "take" in given ? storedFollower(given, store, fence) : given;
    if (running.has(follower.name)) throw new Error(`two followers are called ${follower.name}`);
    running.set(follower.name, startFollower(follower, { clock, end: () => end, random, log }));
  }

  const named = (name: string): RunningFollower => {
    const found = running.get(name);
    if (found === undefined) throw new Error(`no follower is called ${name}`);
    return found;
  };
  return {
    states: () => [...running.values()].map((follower) => follower.state()),
    caughtUp: async (name) => named(name).caughtUp(),
    restart: async (name) => named(name).restart(),
    close: async () => {
      stopListening();
      await Promise.all([...running.values()].map((follower) => follower.close()));
    },
  };
}

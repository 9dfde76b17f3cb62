import type { Clock } from "../../host/index.ts";
import type { Follower, Store } from "../../store/index.ts";
import { type DefinedFollower, storedFollower } from "./define-follower.ts";
import { type FollowerState, type RunningFollower, startFollower } from "./run-follower.ts";

/** Everything that runs behind the log. */
export interface Followers {
  readonly states: () => readonly FollowerState[];
  /** Takes the follower to where the log ends now, without a pause; rejects with what keeps it from getting there. */
  readonly caughtUp: (name: string) => Promise<void>;
  /** Throws away what the follower has made and begins anew. Resolves when the old is gone. */
  readonly restart: (name: string) => Promise<void>;
  /** Waits for the pages under way, a few seconds at most; none begins from now on. */
  readonly close: () => Promise<void>;
}

export interface FollowOptions {
  readonly store: Pick<Store, "cursor" | "setCursor" | "dropCursor" | "readAll" | "lastSeq" | "onAppend">;
  readonly fence: number;
  readonly followers: readonly (Follower | DefinedFollower)[];
  readonly clock: Clock;
  /** For the waits after a failure: at least 0, less than 1. */
  readonly random: () => number;
  readonly log: (message: string, details: object) => void;
}

/** The one runner of followers. Each goes at its own pace; one that fails or is slow holds up neither others nor appends. */
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

import { type Followers, followLog } from "../commit/index.ts";
import type { OpenedHome } from "../services/index.ts";

/** Starts everything that runs behind the log. Whoever calls holds the fence: cursors are written under it. */
export function startFollowers({ store, audit, clock, log }: OpenedHome, fence: number): Promise<Followers> {
  const followers = [store.searchFollower, audit.follower];
  return followLog({ store, fence, followers, clock, random: Math.random, log: log.write });
}

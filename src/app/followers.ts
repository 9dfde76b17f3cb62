import { type Followers, followLog } from "../commit/index.ts";
import type { OpenedHome } from "../services/index.ts";

/** Starts everything that follows the log. The caller holds the fence, under which cursors are written. */
export function startFollowers({ store, audit, clock, log }: OpenedHome, fence: number): Promise<Followers> {
  const followers = [store.searchFollower, audit.follower];
  return followLog({ store, fence, followers, clock, random: Math.random, log: log.write });
}

export type { Bounds } from "./bounds.ts";
export { anySession, type By, knownSession, type Seen, settled } from "./change.ts";
export { type Committer, createCommitter, type Keeper } from "./committer.ts";
export { type DefinedFollower, defineFollower } from "./followers/define-follower.ts";
export { type Followers, followLog } from "./followers/follow-log.ts";
export type { FollowerState } from "./followers/run-follower.ts";
export { type Growth, growthOf } from "./growth.ts";
export { within } from "./within-bounds.ts";

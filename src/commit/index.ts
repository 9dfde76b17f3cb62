export { type DefinedFollower, defineFollower } from "./followers/define-follower.ts";
export { type Followers, followLog } from "./followers/follow-log.ts";
export type { FollowerState } from "./followers/run-follower.ts";

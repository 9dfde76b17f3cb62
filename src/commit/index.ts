export { type AlarmClock, type AlarmsState, startAlarms } from "./alarms/alarm-clock.ts";
export { type Bounds, UNBOUNDED } from "./bounds.ts";
export { type By, knownSession, type Seen, settled, subjectOf } from "./change.ts";
export { type Committer, createCommitter, type Keeper } from "./committer.ts";
export { type DefinedFollower, defineFollower } from "./followers/define-follower.ts";
export { type Followers, followLog } from "./followers/follow-log.ts";
export type { FollowerState } from "./followers/run-follower.ts";
export { within } from "./within-bounds.ts";

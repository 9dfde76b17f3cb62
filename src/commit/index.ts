export { type Bounds, UNBOUNDED } from "./bounds.ts";
export { anySession, anyStream, type By, type Guard, knownSession, type Seen, settled } from "./change.ts";
export { type Committer, createCommitter, type Keeper } from "./committer.ts";
export { type Growth, growthOf } from "./growth.ts";
export { within } from "./within-bounds.ts";

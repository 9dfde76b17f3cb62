export type { Bounds } from "./bounds.ts";
export { type By, type Committer, createCommitter, type Keeper, settled } from "./committer.ts";
export { type Growth, growthOf } from "./growth.ts";
export { createLine } from "./line.ts";
export { within } from "./within-bounds.ts";

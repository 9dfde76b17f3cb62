import { join } from "node:path";
import type { Look } from "../worktrees/find-work.ts";
import { indexOfHead, settleIndex } from "../worktrees/head-index.ts";
import { namedObjects } from "../worktrees/named-objects.ts";
import { type LiveChanges, liveChanges } from "./live-changes.ts";

/** What a session's worktree changes against a branch of the person's repository. */
export async function treeChanges(look: Look, tip: string | null): Promise<LiveChanges> {
  const { view, place, record, own, bounds } = look;
  const { commit } = await namedObjects(view.git);
  const index = await indexOfHead(view.git, place, record, commit, { indexFile: join(own, "index"), bounds });
  const { objectFormat } = record;
  const otherwise = record.userBase ?? record.base;
  const whole = { view, own, index, tip, otherwise, objectFormat, tree: place.tree };
  const { touched, ...found } = await liveChanges(whole);
  await settleIndex(place, index, touched);
  return found;
}

import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { Look } from "../worktrees/find-work.ts";
import { type HeadIndex, indexOfHead, settleIndex } from "../worktrees/head-index.ts";
import { namedObjects } from "../worktrees/named-objects.ts";
import { type LiveChanges, liveChanges } from "./live-changes.ts";
import type { createStandings, Standing } from "./standing.ts";

/** What a session's worktree changes against a branch of the person's repository. */
export async function treeChanges(
  look: Look,
  tip: string | null,
  standings: ReturnType<typeof createStandings>,
): Promise<LiveChanges> {
  const { view, place, record, own } = look;
  const { commit: head } = await namedObjects(view.git);
  const standing = await standings(view.git, { head, tip, otherwise: record.userBase ?? record.base });
  const index = await indexFor(look, standing);
  const tree = place.tree;
  const { touched, ...found } = await liveChanges({
    ...{ view, own, index, standing, tree, objectFormat: record.objectFormat },
  });
  await settleIndex(place, index, touched);
  return found;
}

/** The index that was made with the worktree, as long as its commit is what the work is compared with. */
async function indexFor({ view, place, record, own, bounds }: Look, { head, base }: Standing): Promise<HeadIndex> {
  const made = await lstat(place.index).catch(() => null);
  if (base !== null && base === record.base && made?.isFile() === true) return { commit: base, file: place.index };
  return indexOfHead(view.git, place, record, head, { indexFile: join(own, "index"), bounds });
}

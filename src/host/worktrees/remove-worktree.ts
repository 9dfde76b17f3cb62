import { lstat, rename } from "node:fs/promises";
import { join } from "node:path";
import { findWork, hasWork, type Work, type WorkScene } from "./find-work.ts";
import { holdersOf } from "./holders.ts";
import { runTool } from "./run-tool.ts";
import { placeIn, readRecord, type WorktreePlace, type WorktreeRecord } from "./worktree-record.ts";

export const REMOVING = ".removing-";

export type Removal =
  /** It lies aside, without work and without anybody in it; `finish` deletes it, `undo` puts it back. */
  | { readonly removed: true; readonly finish: () => Promise<void>; readonly undo: () => Promise<void> }
  | { readonly removed: false; readonly work: Work; readonly heldBy: readonly number[] };

/**
 * Looks, puts the worktree aside under a name that nobody knows, and looks again: what was written between the two looks
 * is found by the second, and after it nobody is left who could write. Deleting is the caller's last step.
 */
export async function putAside(scene: WorkScene, folder: string, id: string): Promise<Removal> {
  const place = placeIn(join(folder, id));
  const aside = placeIn(join(folder, `${REMOVING}${id}`));
  const kept = await look(scene, place);
  if (kept !== null) return kept;
  await rename(place.folder, aside.folder);
  const undo = () => rename(aside.folder, place.folder);
  try {
    const second = (await heldBy([place.folder, aside.folder])) ?? (await look(scene, aside));
    if (second === null) return { removed: true, undo, finish: () => deleteAside(folder, id) };
    await undo();
    return second;
  } catch (thrown) {
    await undo();
    throw thrown;
  }
}

/** Only what lies aside, by a tool that no link leads astray. */
export async function deleteAside(folder: string, id: string): Promise<void> {
  await runTool("rm", ["-rf", "--one-file-system", "--", join(folder, `${REMOVING}${id}`)]);
}

/** Null: nothing would be lost. */
async function look(scene: WorkScene, place: WorktreePlace): Promise<Removal | null> {
  const record = await readRecord(place);
  if (record === null) return { removed: false, work: UNKNOWN, heldBy: [] };
  const work = await workIn(scene, place, record);
  return hasWork(work) ? { removed: false, work, heldBy: [] } : null;
}

async function heldBy(folders: readonly string[]): Promise<Removal | null> {
  const pids = await holdersOf(folders);
  return pids.length === 0 ? null : { removed: false, work: NOTHING, heldBy: pids };
}

/** A tree that somebody deleted by hand has nothing in it to lose. */
export async function workIn(scene: WorkScene, place: WorktreePlace, record: WorktreeRecord): Promise<Work> {
  const found = await lstat(place.tree).catch(() => null);
  return found === null ? NOTHING : findWork(scene, place, record);
}

const NOTHING: Work = { changed: [], untracked: [], carried: [], commits: [], nested: [], unclear: null };
const UNKNOWN: Work = { ...NOTHING, unclear: "it has no record" };

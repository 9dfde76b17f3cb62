import { lstat, rename } from "node:fs/promises";
import { join } from "node:path";
import { errno } from "../errno.ts";
import { findWork, hasWork, type Work, type WorkScene } from "./find-work.ts";
import { holdersOf } from "./holders.ts";
import { placeIn, readRecord, type WorktreePlace, type WorktreeRecord } from "./worktree-record.ts";

export const REMOVING = ".removing-";

export type Removal =
  /** It is put aside, without work and without processes in it. `finish` deletes it, `undo` puts it back. */
  | { readonly removed: true; readonly finish: () => Promise<void>; readonly undo: () => Promise<void> }
  | { readonly removed: false; readonly work: Work; readonly heldBy: readonly number[] };

export interface RemovalWish {
  readonly evenMissing?: boolean;
  /** A person said that its work goes with it. */
  readonly evenWork?: boolean;
}

/**
 * Checks, moves the worktree to an unknown name, and checks again. The second check finds what was written in between,
 * and after it no process is left that could write. The caller deletes as the last step.
 */
export async function putAside(
  { discard, ...scene }: WorkScene & { readonly discard: (path: string) => Promise<void> },
  folder: string,
  id: string,
  { evenMissing = false, evenWork = false }: RemovalWish = {},
): Promise<Removal> {
  const place = placeIn(join(folder, id));
  const aside = placeIn(join(folder, `${REMOVING}${id}`));
  const isCleared = evenWork || (evenMissing && (await isMissing(place)));
  const kept = await look(scene, place, isCleared);
  if (kept !== null) return kept;
  await rename(place.folder, aside.folder);
  const undo = () => rename(aside.folder, place.folder);
  try {
    const second = (await heldBy([place.folder, aside.folder])) ?? (await look(scene, aside, isCleared));
    if (second === null) return { removed: true, undo, finish: () => discard(aside.folder) };
    await undo();
    return second;
  } catch (thrown) {
    await undo();
    throw thrown;
  }
}

/** Null when nothing would be lost. */
async function look(scene: WorkScene, place: WorktreePlace, isCleared: boolean): Promise<Removal | null> {
  const record = await readRecord(place);
  if (record === null) return { removed: false, work: UNKNOWN, heldBy: [] };
  if (isCleared) return null;
  const work = await workIn(scene, place, record);
  return hasWork(work) ? { removed: false, work, heldBy: [] } : null;
}

async function heldBy(folders: readonly string[]): Promise<Removal | null> {
  const pids = await holdersOf(folders);
  return pids.length === 0 ? null : { removed: false, work: NOTHING, heldBy: pids };
}

/** A missing tree may have been moved, and its work may depend on the objects that we hold. */
export async function workIn(scene: WorkScene, place: WorktreePlace, record: WorktreeRecord): Promise<Work> {
  return (await isMissing(place)) ? MISSING : findWork(scene, place, record);
}

async function isMissing({ tree }: WorktreePlace): Promise<boolean> {
  const found = await lstat(tree).catch((thrown: unknown) => {
    if (errno(thrown) === "ENOENT") return null;
    throw thrown;
  });
  return found === null;
}

const NOTHING: Work = { changed: [], untracked: [], carried: [], commits: [], nested: [], unclear: null };
const UNKNOWN: Work = { ...NOTHING, unclear: "it has no record" };
const MISSING: Work = { ...NOTHING, unclear: "its folder is missing: it may have been moved" };

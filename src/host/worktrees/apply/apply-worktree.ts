import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { HostError } from "../../host-error.ts";
import { type Look, lookThrough, type WorkScene } from "../find-work.ts";
import { Unclear } from "../own-objects.ts";
import type { WorktreePlace, WorktreeRecord } from "../worktree-record.ts";
import { ChangedMeanwhile, doSteps } from "./do-steps.ts";
import { type Conflict, planSteps, type Step } from "./plan-steps.ts";
import { sessionChanges } from "./session-changes.ts";
import { takeFiles } from "./take-file.ts";

export interface Applied {
  readonly repository: string;
  readonly files: readonly { readonly path: string; readonly change: "added" | "changed" | "deleted" }[];
  /** If there is one, nothing was changed. */
  readonly conflicts: readonly Conflict[];
  /** Repositories inside the worktree, which stay there. */
  readonly nested: readonly string[];
}

/**
 * Brings what a session changed in its worktree into the files of the repository that it was made from: all of it, or
 * nothing where the person changed the same. The repository's git dir is not touched. `begin` is called before the first
 * file changes, if any does.
 */
export async function applyWorktree(
  scene: WorkScene,
  place: WorktreePlace,
  record: WorktreeRecord,
  begin: ((files: number) => Promise<void>) | null,
): Promise<Applied> {
  return orUnreadable(
    place,
    lookThrough(scene, place, record, (look) => apply(look, begin)),
  );
}

/** Refuses a worktree whose git dir is no longer the one that was made with it. */
export async function orUnreadable<T>(place: WorktreePlace, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    if (!(thrown instanceof Unclear)) throw thrown;
    throw new HostError("repository_invalid", `the worktree cannot be read: ${thrown.message}`, {
      remedy: "put the worktree's original `.git` folder back, or copy its files by hand",
      details: { path: place.tree, reason: thrown.message },
      cause: thrown,
    });
  }
}

async function apply(look: Look, begin: ((files: number) => Promise<void>) | null): Promise<Applied> {
  const { user, view, own, bounds } = look;
  if (user === null || user.root === null) throw noFiles(look.record);
  const { root } = user;
  const { changes, nested } = await sessionChanges(look);
  const scratch = join(own, "mine");
  await mkdir(scratch);
  const paths = changes.map(({ path }) => path);
  const mine = await takeFiles({ root, view, scratch, bytesMax: bounds.bytesMax }, paths);
  const { steps, conflicts } = await planSteps({ view, scratch: join(own, "new") }, changes, mine);
  const found = { repository: root, files: steps.map(shown), conflicts, nested };
  if (begin === null || conflicts.length > 0 || steps.length === 0) return found;
  await begin(steps.length);
  try {
    await doSteps(root, steps);
  } catch (thrown) {
    if (!(thrown instanceof ChangedMeanwhile)) throw thrown;
    return { ...found, conflicts: [{ path: thrown.path, reason: "changed while it was applied" }] };
  }
  return found;
}

function shown({ path, before, after }: Step): Applied["files"][number] {
  if (after === null) return { path, change: "deleted" };
  return { path, change: before.kind === "taken" ? "changed" : "added" };
}

function noFiles({ repository }: WorktreeRecord): HostError {
  const path = repository.root ?? repository.gitDir;
  return new HostError("not_a_repository", `${path} is no longer a repository with files`, {
    remedy: "fetch the worktree's branch into another clone; `nomos worktree show` has the command",
    details: { path },
  });
}

import { readFile, rmdir, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { holdFolder } from "../../files/held-folder.ts";
import { type Repository, readSmall } from "../../git/find-repository.ts";
import type { RepositoryView } from "../../git/repository-view.ts";
import type { GitRunner } from "../../git/run-git.ts";
import { ChangedMeanwhile, doSteps, removeEmptyAbove, UNFINISHED } from "../../worktrees/apply/do-steps.ts";
import type { Step } from "../../worktrees/apply/plan-steps.ts";
import { inParent } from "../../worktrees/apply/take-file.ts";
import { isAncestor } from "../landing-view.ts";
import { hashOf, lookAt, type Seen } from "../look-at-file.ts";
import { advanceIndex, emptyIndex, isIndexOf, refreshIndex, stageIndex, takeIndex } from "./checkout-index.ts";
import { allCheckouts, headOf } from "./checkouts.ts";
import { dropIndexLock, holdsIndexLock, takeIndexLock } from "./index-lock.ts";
import { dropJournal, type Journal, type JournalStep, readJournal } from "./journal.ts";
import { tipIn } from "./move-ref.ts";
import { releaseObjects } from "./store-objects.ts";

export interface CutMove {
  readonly git: GitRunner;
  readonly view: RepositoryView;
  readonly repository: Repository;
  readonly branch: string;
  readonly to: string;
  readonly folder: string;
  readonly owner: string;
}

const REF_LOCK_WAIT_MS = 3000;
const REF_LOCK_LOOK_MS = 50;
/** Git locks HEAD right after the branch. */
const SAME_MOMENT_MS = 1000;
const TAKE_BACK_TRIES = 20;

/**
 * After a crash: finishes a move whose branch has moved, takes back what was done to files of one that has not. A file
 * that is neither as it was nor as it would be is the person's, and stays. Returns whether the branch has the commit.
 */
export async function recoverMove(cut: CutMove): Promise<boolean> {
  const { git, view, repository, branch, to, folder, owner } = cut;
  const journal = await readJournal(folder);
  await settleRefLocks(cut, journal?.gitDir ?? repository.commonDir);
  const tip = await tipIn(git, { gitDir: repository.commonDir, branch });
  const hasLanded = tip !== null && (await isAncestor(view.git, to, tip));
  if (journal !== null) await settleCheckout(cut, journal, hasLanded);
  for (const { gitDir } of await allCheckouts(git, repository)) await dropIndexLock(gitDir, owner);
  await releaseObjects(folder);
  return hasLanded;
}

/**
 * The git that moved the branch may outlive the daemon by a moment: it moves the branch or gives its locks back. Locks
 * that stay were left by a git that was killed too; the branch's says by the commit in it that it is ours.
 */
async function settleRefLocks({ repository, branch, to }: CutMove, gitDir: string): Promise<void> {
  const lock = join(repository.commonDir, "refs", "heads", `${branch}.lock`);
  const isOurs = async (): Promise<boolean> => (await readSmall(lock))?.trim() === to;
  for (let waitedMs = 0; waitedMs < REF_LOCK_WAIT_MS && (await isOurs()); waitedMs += REF_LOCK_LOOK_MS)
    await setTimeout(REF_LOCK_LOOK_MS);
  if (!(await isOurs())) return;
  const { mtimeMs } = await stat(lock);
  const head = join(gitDir, "HEAD.lock");
  const other = await stat(head).catch(() => null);
  if (other?.size === 0 && Math.abs(other.mtimeMs - mtimeMs) < SAME_MOMENT_MS) await unlink(head);
  await unlink(lock);
}

async function settleCheckout(cut: CutMove, journal: Journal, hasLanded: boolean): Promise<void> {
  const { git, view, repository, folder, owner } = cut;
  const { gitDir, root, branch, from, to, isLight = false } = journal;
  // Who removed the lock, as git tells people to, gets their files back all the same while the index shows `from`.
  const isOurs = (await holdsIndexLock(gitDir, owner)) || (await takeIndexLock(gitDir, owner)) !== null;
  if (!isOurs) return;
  const checkout = { gitDir, root };
  const indexFile = join(folder, "index-cut");
  if (!(await takeIndex(view, checkout, indexFile))) {
    if (!isLight) return;
    await emptyIndex(view, indexFile);
  }
  const isHere = (await headOf(git, repository, gitDir)) === `refs/heads/${branch}`;
  const only = isLight ? journal.steps.map(({ path }) => path) : null;
  if (await isIndexOf(view, indexFile, from, only)) {
    await removeUnfinished(root, journal.steps);
    if (!hasLanded) await takeBack(journal);
    else if (isHere) {
      await advanceIndex(view, indexFile, { from, to });
      await refreshIndex(view, indexFile, root);
      await (await stageIndex(indexFile, checkout, owner))();
    }
  }
  if (hasLanded) await removeEmptyAbove(root, pathsOf(journal.steps, false));
  await dropJournal(folder);
}

async function takeBack({ root, steps, folders }: Journal): Promise<void> {
  // An empty folder may be where a file was.
  await removeFolders(root, folders);
  const theirs = new Set<string>();
  for (let tries = 1; tries <= TAKE_BACK_TRIES; tries += 1) {
    const back: Step[] = [];
    for (const { path, before, after } of steps) {
      const there = await lookAt(root, path);
      if (theirs.has(path) || there === "other") continue;
      if (!(await isSame(there, after)) || (await isSame(there, before))) continue;
      const now = there === null || after === null ? { kind: "absent" as const } : taken(there.stamp, after);
      back.push({ path, before: now, after: before });
    }
    const changed = await changedIn(doSteps(root, back));
    if (changed === null) break;
    theirs.add(changed);
  }
  await removeFolders(root, folders);
}

/** Those in which nothing is. */
async function removeFolders(root: string, folders: readonly string[]): Promise<void> {
  const deepestFirst = folders.toSorted((a, b) => b.length - a.length);
  for (const folder of deepestFirst) await rmdir(join(root, folder)).catch(() => undefined);
}

/** The file that somebody works on now; null: all steps are done. */
async function changedIn(work: Promise<void>): Promise<string | null> {
  try {
    await work;
    return null;
  } catch (thrown) {
    if (thrown instanceof ChangedMeanwhile) return thrown.path;
    throw thrown;
  }
}

/** It is as the move left it. */
function taken(stamp: string, { mode, content }: NonNullable<JournalStep["after"]>): Step["before"] {
  return { kind: "taken", entry: { mode, id: "" }, copy: content, stamp };
}

async function isSame(seen: Seen | null, wanted: JournalStep["after"]): Promise<boolean> {
  if (seen === null || wanted === null) return seen === null && wanted === null;
  return seen.mode === wanted.mode && seen.sha256 === hashOf(await readFile(wanted.content));
}

/** A crash in the middle of a file leaves it under a name of its own, beside its place. */
async function removeUnfinished(root: string, steps: readonly JournalStep[]): Promise<void> {
  await using held = await holdFolder(root);
  if (held === null) return;
  for (const folder of new Set(pathsOf(steps, true).map((path) => dirname(path))))
    await inParent(held, join(folder, UNFINISHED), async (parent) => {
      for (const { name } of parent === null ? [] : await parent.list())
        if (parent !== null && name.toString().startsWith(UNFINISHED)) await unlink(parent.at(name));
    });
}

function pathsOf(steps: readonly JournalStep[], all: boolean): readonly string[] {
  return steps.filter(({ after }) => all || after === null).map(({ path }) => path);
}

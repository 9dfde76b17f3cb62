import { createHash } from "node:crypto";
import { lstat, readdir, readFile, readlink, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Repository } from "../git/find-repository.ts";
import type { RepositoryView } from "../git/repository-view.ts";
import type { GitRunner } from "../git/run-git.ts";
import { doSteps, UNFINISHED } from "../worktrees/apply/do-steps.ts";
import type { Step } from "../worktrees/apply/plan-steps.ts";
import { stampOf } from "../worktrees/apply/take-file.ts";
import { placesOf } from "./checkouts.ts";
import { dropIndexLock, holdsIndexLock } from "./index-lock.ts";
import { type Journal, type JournalStep, readJournal } from "./journal.ts";
import { isAncestor, tipOf } from "./landing-view.ts";
import { writeIndex } from "./move-checkout.ts";

export interface CutMove {
  readonly git: GitRunner;
  readonly view: RepositoryView;
  readonly repository: Repository;
  readonly branch: string;
  readonly to: string;
  readonly folder: string;
  readonly owner: string;
}

/**
 * After a crash: finishes a move whose branch has moved, takes back what was done to files of one that has not. A file
 * that is neither as it was nor as it would be is the person's, and stays. Returns whether the branch has the commit.
 */
export async function recoverMove(cut: CutMove): Promise<boolean> {
  const { view, repository, branch, to, folder, owner } = cut;
  const tip = await tipOf(view.git, branch);
  const hasLanded = tip !== null && (await isAncestor(view.git, to, tip));
  const journal = await readJournal(folder);
  if (journal !== null) {
    // Somebody who removed the lock has taken over: then files and index are theirs.
    const isOurs = await holdsIndexLock(journal.gitDir, owner);
    if (isOurs && tip === journal.to) await finishIndex(cut, journal);
    if (isOurs && tip === journal.from) await takeBack(journal);
    await dropIndexLock(journal.gitDir, owner);
  }
  for (const { gitDir } of (await placesOf(repository, branch)).checkouts) await dropIndexLock(gitDir, owner);
  return hasLanded;
}

async function finishIndex(
  { view, folder }: CutMove,
  { gitDir, root, branch, from, to, steps }: Journal,
): Promise<void> {
  await removeUnfinished(root, steps);
  const identity = { name: "", email: "" };
  const ref = { branch, from, to, reason: "", identity, hooks: null };
  // Already written when the crash came after it: then the index has nothing of `from` to merge.
  await writeIndex({ view, folder, checkout: { gitDir, root }, ref }).catch(async (thrown: unknown) => {
    const isDone =
      (await view.git.run(["diff-index", "--cached", "--quiet", to], { indexFile: join(gitDir, "index") })).exitCode ===
      0;
    if (!isDone) throw thrown;
  });
}

async function takeBack({ root, steps }: Journal): Promise<void> {
  await removeUnfinished(root, steps);
  const back: Step[] = [];
  for (const { path, before, after } of steps) {
    const there = await lookAt(join(root, path));
    if (!(await isSame(there, after)) || (await isSame(there, before))) continue;
    const now = there === null ? { kind: "absent" as const } : taken(there.stamp);
    back.push({ path, before: now, after: before });
  }
  await doSteps(root, back);
}

/** The step checks the stamp alone. */
function taken(stamp: string): Step["before"] {
  return { kind: "taken", entry: { mode: "", id: "" }, copy: "", stamp };
}

interface Seen {
  readonly mode: string;
  readonly sha256: string;
  readonly stamp: string;
}

async function lookAt(path: string): Promise<Seen | null> {
  const found = await lstat(path, { bigint: true }).catch(() => null);
  if (found === null || found.isDirectory()) return null;
  const stamp = stampOf(found);
  if (found.isSymbolicLink())
    return { mode: "120000", sha256: hash(await readlink(path, { encoding: "buffer" })), stamp };
  const mode = (found.mode & 0o100n) === 0n ? "100644" : "100755";
  return { mode, sha256: hash(await readFile(path)), stamp };
}

async function isSame(seen: Seen | null, wanted: JournalStep["after"]): Promise<boolean> {
  if (seen === null || wanted === null) return seen === null && wanted === null;
  return seen.mode === wanted.mode && seen.sha256 === hash(await readFile(wanted.content));
}

function hash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** A crash in the middle of a file leaves it under a name of its own, beside its place. */
async function removeUnfinished(root: string, steps: readonly JournalStep[]): Promise<void> {
  for (const folder of new Set(steps.map(({ path }) => dirname(join(root, path)))))
    for (const name of await readdir(folder).catch(() => []))
      if (name.startsWith(UNFINISHED)) await rm(join(folder, name), { force: true });
}

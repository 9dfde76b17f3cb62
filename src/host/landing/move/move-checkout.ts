import { lstat, mkdir, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { emptyTree, type TreeDifference, treeDifferences } from "../../git/tree-diff.ts";
import { ChangedMeanwhile, doSteps, Unwritable } from "../../worktrees/apply/do-steps.ts";
import type { Step } from "../../worktrees/apply/plan-steps.ts";
import { type Found, takeFiles } from "../../worktrees/apply/take-file.ts";
import { advanceIndex, emptyIndex, refreshIndex, stageIndex, takeIndex } from "./checkout-index.ts";
import type { CheckoutMove, Moved } from "./checkout-move.ts";
import { headOf } from "./checkouts.ts";
import { takeIndexLock } from "./index-lock.ts";
import { dropJournal, writeJournal } from "./journal.ts";
import { inTheWay, leftIt, unknownInTheWay, whyNot } from "./look-at-checkout.ts";
import { type HeldRef, holdRef } from "./move-ref.ts";
import { prepareFiles } from "./prepare-files.ts";
import { storeWork } from "./store-objects.ts";

const SUBMODULE = "160000";

/**
 * Moves a branch that is checked out, as `git merge --ff-only` would, but only where nothing of the person's is changed.
 * Git's locks on index, HEAD and branch are held meanwhile. Files are replaced one by one, each whole; then the branch
 * moves; then the index. After a failure everything is as it was; after a crash `recoverMove` finishes or takes back.
 */
export async function moveCheckout(move: CheckoutMove): Promise<Moved> {
  const { checkout, owner, folder } = move;
  const lock = await takeIndexLock(checkout.gitDir, owner);
  if (lock === null) return inTheWay(`another git works in ${checkout.root} (index.lock is there)`);
  try {
    const moved = await moveLocked(move);
    await dropJournal(folder);
    return moved;
  } catch (thrown) {
    if (!(thrown instanceof ChangedMeanwhile || thrown instanceof Unwritable)) throw thrown;
    await dropJournal(folder);
    if (thrown instanceof Unwritable)
      return inTheWay(`${thrown.path} may not be written in ${checkout.root}`, [thrown.path]);
    return inTheWay(`${thrown.path} was changed in ${checkout.root} at this moment`, [thrown.path]);
  } finally {
    await lock.release();
  }
}

async function moveLocked(move: CheckoutMove): Promise<Moved> {
  const { git, view, repository, checkout, ref, folder, bytesMax, isLight = false } = move;
  const { root, gitDir } = checkout;
  if (ref.from === null && (await hasParents(move)))
    return inTheWay(`${ref.branch} has no commit in ${root} yet, but its remote has: pull it first`);
  const from = ref.from ?? (await emptyTree(view.git));
  const changes = await treeDifferences(view.git, `${from}^{tree}`, `${ref.to}^{tree}`);
  const scratch = join(folder, "mine");
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  const paths = changes.map(({ path }) => path);
  // Before the look for local changes: whatever happens after it changes a stamp, and then nothing is replaced.
  const found = await takeFiles({ root, view, scratch, bytesMax }, paths);
  const mine = join(folder, "index-mine");
  const blocked = await whyNot(move, { changes, from, indexFile: mine });
  if (blocked !== null) return blocked;
  const odd = unknownInTheWay(changes, found);
  if (odd.length > 0) return inTheWay(`files that git does not know are in the way in ${root}`, odd);
  const steps = stepsOf(changes, found, await prepareFiles(view, ref.to, changes, join(folder, "new")));
  const indexFile = join(folder, "index-new");
  if (!(await takeIndex(view, checkout, indexFile))) await emptyIndex(view, indexFile);
  await advanceIndex(view, indexFile, { from, to: ref.to });
  await writeJournal(folder, {
    ...{ gitDir, root, branch: ref.branch, from, to: ref.to, isLight },
    folders: await missingFolders(root, steps),
    steps: steps.map(({ path, before, after }) => ({
      path,
      before: before.kind === "taken" ? { mode: before.entry.mode, content: before.copy } : null,
      after,
    })),
  });
  // Not before: git could not remove them for weeks, and a landing that is refused may be tried many times.
  await storeWork(move);
  const held = await holdRef(git, { ...ref, gitDir, root });
  if (!("commit" in held)) return { ...held, paths: [] };
  // Cannot change any more: git has locked it with the branch.
  if ((await headOf(git, repository, gitDir)) !== `refs/heads/${ref.branch}`) {
    await held.abort();
    return leftIt(root);
  }
  const moved = await swap(move, steps, indexFile, held).finally(() => held.abort());
  if (moved.moved) await placeSubmodules(root, changes);
  return moved;
}

async function hasParents({ view, ref }: CheckoutMove): Promise<boolean> {
  return (await view.git.text(["rev-parse", `${ref.to}^@`])) !== "";
}

function stepsOf(
  changes: readonly TreeDifference[],
  found: ReadonlyMap<string, Found>,
  ready: Awaited<ReturnType<typeof prepareFiles>>,
): readonly Step[] {
  return changes.flatMap(({ path, before, after }) => {
    if ((before ?? after)?.mode === SUBMODULE) return [];
    const there = found.get(path) ?? { kind: "absent" as const };
    if (after === null && there.kind !== "taken") return [];
    const now = before === null ? { kind: "absent" as const } : there;
    return [{ path, before: now, after: after === null ? null : (ready.get(path) ?? null) }];
  });
}

/** Folders that the steps will make. */
async function missingFolders(root: string, steps: readonly Step[]): Promise<readonly string[]> {
  const missing = new Set<string>();
  for (const { path, after } of steps)
    for (let folder = dirname(path); after !== null && folder !== "." && !missing.has(folder); folder = dirname(folder))
      if ((await lstat(join(root, folder)).catch(() => null))?.isDirectory() === true) break;
      else missing.add(folder);
  return [...missing];
}

async function swap(move: CheckoutMove, steps: readonly Step[], indexFile: string, held: HeldRef): Promise<Moved> {
  const { view, checkout, owner } = move;
  let refused: Moved | null = null;
  let finish = async (): Promise<void> => undefined;
  try {
    await doSteps(checkout.root, steps, async () => {
      await refreshIndex(view, indexFile, checkout.root);
      finish = await stageIndex(indexFile, checkout, owner);
      const moved = await held.commit();
      if (moved.moved) return;
      refused = { ...moved, paths: [] };
      throw new NotMoved();
    });
  } catch (thrown) {
    if (thrown instanceof NotMoved && refused !== null) return refused;
    throw thrown;
  }
  await finish();
  return { moved: true };
}

class NotMoved extends Error {}

/** As git does without `--recurse-submodules`: a new one is an empty folder, one that is gone stays unless empty. */
async function placeSubmodules(root: string, changes: readonly TreeDifference[]): Promise<void> {
  for (const { path, before, after } of changes) {
    if (after?.mode === SUBMODULE && before === null) await mkdir(join(root, path)).catch(() => undefined);
    if (before?.mode === SUBMODULE && after === null) await rmdir(join(root, path)).catch(() => undefined);
  }
}

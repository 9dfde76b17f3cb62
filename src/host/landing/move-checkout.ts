import { chmod, chown, copyFile, mkdir, open, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Repository, readSmall } from "../git/find-repository.ts";
import type { RepositoryView } from "../git/repository-view.ts";
import type { GitRunner } from "../git/run-git.ts";
import { type TreeDifference, treeDifferences } from "../git/tree-diff.ts";
import { HostError } from "../host-error.ts";
import { ChangedMeanwhile, doSteps } from "../worktrees/apply/do-steps.ts";
import type { Step } from "../worktrees/apply/plan-steps.ts";
import { type Found, takeFiles } from "../worktrees/apply/take-file.ts";
import type { Checkout } from "./checkouts.ts";
import { takeIndexLock } from "./index-lock.ts";
import { type Journal, writeJournal } from "./journal.ts";
import { moveRef, type RefMove } from "./move-ref.ts";
import { prepareFiles } from "./prepare-files.ts";

export type Moved =
  | { readonly moved: true }
  | {
      readonly moved: false;
      /** `tip`: the branch moved meanwhile. `checkout`: the person's files or git are in the way. `hook`: it refused. */
      readonly why: "tip" | "checkout" | "hook";
      readonly words: string;
      readonly paths: readonly string[];
    };

export interface CheckoutMove {
  /** For the person's own git dir; everything else is done in the view. */
  readonly git: GitRunner;
  readonly view: RepositoryView;
  readonly repository: Repository;
  readonly checkout: Checkout;
  readonly ref: Omit<RefMove, "gitDir">;
  /** Out of any agent's reach; what a crash leaves here tells the next daemon what was done. */
  readonly folder: string;
  /** The landing: names its lock. */
  readonly owner: string;
  readonly filters: readonly string[];
  readonly bytesMax: number;
}

/**
 * Moves a branch that is checked out, as `git merge --ff-only` would, but only where nothing of the person's is changed.
 * Git's index lock is held meanwhile. Files are replaced one by one, each whole; then the branch moves; then the index.
 * After a failure everything is as it was; after a crash `recoverMove` finishes or takes back.
 */
export async function moveCheckout(move: CheckoutMove): Promise<Moved> {
  const { checkout, owner } = move;
  const lock = await takeIndexLock(checkout.gitDir, owner);
  if (lock === null) return inTheWay(`another git works in ${checkout.root} (index.lock is there)`);
  try {
    return await moveLocked(move);
  } catch (thrown) {
    if (thrown instanceof ChangedMeanwhile)
      return inTheWay(`${thrown.path} was changed in ${checkout.root} at this moment`, [thrown.path]);
    throw thrown;
  } finally {
    await lock.release();
  }
}

async function moveLocked(move: CheckoutMove): Promise<Moved> {
  const { view, checkout, ref, folder, bytesMax } = move;
  const { git } = view;
  const { root } = checkout;
  const changes = await treeDifferences(git, `${ref.from}^{tree}`, `${ref.to}^{tree}`);
  const scratch = join(folder, "mine");
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  const paths = changes.map(({ path }) => path);
  // Before the look for local changes: whatever happens after it changes a stamp, and then nothing is replaced.
  const found = await takeFiles({ root, view, scratch, bytesMax }, paths);
  const blocked = await whyNot(move, paths);
  if (blocked !== null) return blocked;
  const odd = unknownInTheWay(changes, found);
  if (odd.length > 0) return inTheWay(`files that git does not know are in the way in ${root}`, odd);
  const ready = await prepareFiles(view, ref.to, changes, join(folder, "new"));
  const steps: readonly Step[] = changes.flatMap(({ path, before, after }) => {
    const there = found.get(path) ?? { kind: "absent" as const };
    if (after === null && there.kind !== "taken") return [];
    const now = before === null ? { kind: "absent" as const } : there;
    return [{ path, before: now, after: after === null ? null : (ready.get(path) ?? null) }];
  });
  const journal: Journal = {
    ...{ gitDir: checkout.gitDir, root, branch: ref.branch, from: ref.from, to: ref.to },
    steps: steps.map(({ path, before, after }) => ({
      path,
      before: before.kind === "taken" ? { mode: before.entry.mode, content: before.copy } : null,
      after,
    })),
  };
  await writeJournal(folder, journal);
  return swap(move, steps);
}

/** Paths that are new on the branch and taken here by something that git does not know. */
function unknownInTheWay(changes: readonly TreeDifference[], found: ReadonlyMap<string, Found>): readonly string[] {
  const gone = changes.filter(({ after }) => after === null).map(({ path }) => path);
  const goes = new Set(gone);
  const added = changes.filter(({ before }) => before === null).map(({ path }) => path);
  return added.filter((path) => {
    const there = found.get(path) ?? { kind: "absent" };
    if (there.kind === "absent") return false;
    // A file makes room for a folder, or a folder for a file.
    if (there.kind === "blocked") return !goes.has(there.by);
    return !(there.kind === "folder" && gone.some((one) => one.startsWith(`${path}/`)));
  });
}

async function swap(move: CheckoutMove, steps: readonly Step[]): Promise<Moved> {
  const { checkout, ref } = move;
  let refused: Moved | null = null;
  try {
    await doSteps(checkout.root, steps, async () => {
      const moved = await moveRef(move.git, { ...ref, gitDir: checkout.gitDir });
      if (moved.moved) return;
      refused = { ...moved, paths: [] };
      throw new NotMoved();
    });
  } catch (thrown) {
    if (thrown instanceof NotMoved && refused !== null) return refused;
    throw thrown;
  }
  await writeIndex(move);
  return { moved: true };
}

class NotMoved extends Error {}

/** Why the checkout must not change now; null when it may. */
async function whyNot(move: CheckoutMove, paths: readonly string[]): Promise<Moved | null> {
  const { view, repository, checkout, filters, folder, ref } = move;
  const { git } = view;
  if (repository.config.get("core.sparsecheckout") === "true") return inTheWay(`${checkout.root} is a sparse checkout`);
  const indexFile = join(folder, "index-mine");
  await copyFile(join(checkout.gitDir, "index"), indexFile);
  const isHere = (await readSmall(join(checkout.gitDir, "HEAD")))?.trim() === `ref: refs/heads/${ref.branch}`;
  const tip = await move.git.run(["rev-parse", "--verify", `refs/heads/${ref.branch}`], { gitDir: checkout.gitDir });
  if (!isHere || tip.stdout.toString().trim() !== ref.from)
    return { moved: false, why: "tip", words: "the branch moved", paths: [] };
  const where = { indexFile, workTree: checkout.root, timeoutMs: STATUS_TIMEOUT_MS };
  await git.run(["update-index", "-q", "--refresh"], where);
  const unstaged = await git.must(["diff-files", "-z", "--name-only", "--ignore-submodules=all"], where);
  const staged = await git.must(
    ["diff-index", "--cached", "-z", "--name-only", "--ignore-submodules=all", ref.from],
    where,
  );
  const dirty = [...new Set(`${staged.toString()}${unstaged.toString()}`.split("\0").filter(Boolean))];
  if (dirty.length > 0) return inTheWay(`${checkout.root} has changes that are not committed`, dirty);
  const filtered = await filteredPaths(move, paths);
  return filtered.length === 0 || filters.length === 0
    ? null
    : inTheWay(`git needs a filter to write files in ${checkout.root}`, filtered);
}

const STATUS_TIMEOUT_MS = 120_000;

/** Paths that a filter of the person's would convert. Attributes are those of the new commit. */
async function filteredPaths(
  { view: { git }, ref, folder, filters }: CheckoutMove,
  paths: readonly string[],
): Promise<readonly string[]> {
  if (filters.length === 0 || paths.length === 0) return [];
  const indexFile = join(folder, "index-attributes");
  await git.must(["read-tree", ref.to], { indexFile });
  const input = paths.map((path) => `${path}\0`).join("");
  const told = (await git.must(["check-attr", "--cached", "-z", "--stdin", "filter"], { indexFile, input }))
    .toString()
    .split("\0");
  const found: string[] = [];
  for (let at = 0; at + 2 < told.length; at += 3) if (filters.includes(told[at + 2] ?? "")) found.push(told[at] ?? "");
  return found;
}

/** The index as it is after a fast-forward: entries that did not change keep what git knows of their files. */
export async function writeIndex({
  view: { git },
  checkout,
  ref,
  folder,
}: Pick<CheckoutMove, "view" | "checkout" | "ref" | "folder">): Promise<void> {
  const own = join(checkout.gitDir, "index");
  const indexFile = join(folder, "index-new");
  await copyFile(own, indexFile);
  await git.must(["read-tree", "-m", ref.from, ref.to], { indexFile });
  await git.run(["update-index", "-q", "--refresh"], {
    indexFile,
    workTree: checkout.root,
    timeoutMs: STATUS_TIMEOUT_MS,
  });
  const was = await stat(own);
  const beside = join(checkout.gitDir, `index.nomos-${crypto.randomUUID()}`);
  await copyFile(indexFile, beside);
  await chmod(beside, was.mode & 0o777);
  if (process.getuid?.() === 0) await chown(beside, was.uid, was.gid);
  const file = await open(beside, "r");
  await file.sync().finally(() => file.close());
  await rename(beside, own).catch((cause: unknown) => {
    throw new HostError("git_failed", `the index of ${checkout.root} could not be written`, {
      remedy: "run `git reset` there; no file changes",
      details: { path: own },
      cause,
    });
  });
}

function inTheWay(words: string, paths: readonly string[] = []): Moved {
  return { moved: false, why: "checkout", words, paths };
}

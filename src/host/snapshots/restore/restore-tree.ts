import { spawn } from "node:child_process";
import { once } from "node:events";
import { errno } from "../../errno.ts";
import type { Batch, Objects } from "../packs/objects.ts";
import type { SnapshotRecord } from "../packs/record.ts";
import { SnapshotError } from "../snapshot-error.ts";
import type { OnBytes, Restored, RestoreLimits, TreeSpec } from "../tree-spec.ts";
import { type ByteName, shownName } from "../walk/byte-path.ts";
import { entryAt, type KnownTree } from "../walk/known-tree.ts";
import { leaveOutRule } from "../walk/leave-out.ts";
import { createSurvey } from "../walk/survey-batch.ts";
import type { Walked } from "../walk/walk.ts";
import { carryOut } from "./restore.ts";
import { refuseFull, refuseLarge } from "./restore-bounds.ts";
import { changedMeanwhile, namesIn, shownNames } from "./restore-names.ts";
import { isEmptyPlan, planRestore } from "./restore-plan.ts";
import { seedTree } from "./seed-tree.ts";

/** `last`: the walk before, if not the one that the store remembers. */
export type WalkOf = (
  tree: TreeSpec,
  batch: Batch,
  onRead?: (bytes: number) => void,
  last?: KnownTree | null,
) => Generator<void, Walked>;

export interface RestoreParts {
  readonly objects: Objects;
  readonly recordOf: (id: string) => SnapshotRecord;
  readonly walkOf: WalkOf;
  readonly remember: (tree: TreeSpec, walked: Walked) => void;
  /** Reused for every file. */
  readonly buffer: Buffer;
  readonly onBytes: OnBytes;
}

type Done = Pick<Restored, "changed" | "restored" | "removed">;

const ROUNDS_MAX = 4;

/** Restores a tree; a new one takes large files from another tree first. Everything is flushed when it is done. */
export async function* restoreTree(
  parts: RestoreParts,
  tree: TreeSpec,
  to: string,
  bwrapPath: string,
  limits: RestoreLimits,
): AsyncGenerator<void, Restored> {
  const target = parts.recordOf(to);
  let done = 0;
  const onPlaced = (bytes: number): void => {
    done += bytes;
    parts.onBytes(Math.min(done, target.bytes), target.bytes);
  };
  refuseLarge(target, tree);
  const seeded = limits.from === undefined ? 0 : yield* seed(parts, tree, target, limits.from, onPlaced);
  // The files are flushed while they are read and compared.
  const flushed = seeded === 0 ? Promise.resolve() : flushTree(tree.root);
  flushed.catch(() => undefined);
  try {
    return yield* restoreRounds({ ...parts, onPlaced }, tree, to, bwrapPath, limits);
  } finally {
    await flushed;
  }
}

/** A source that cannot be read is no failure: the restore takes everything out of the store. */
function* seed(
  { objects, buffer }: RestoreParts,
  tree: TreeSpec,
  target: SnapshotRecord,
  from: string,
  onBytes: (bytes: number) => void,
): Generator<void, number> {
  const withOwner = process.getuid?.() === 0;
  try {
    const isLeftOut = leaveOutRule(tree);
    return yield* seedTree({ objects, target, from, to: tree.root, isLeftOut, withOwner, buffer, onBytes });
  } catch (error) {
    if (["ENOSPC", "EDQUOT"].includes(errno(error) ?? ""))
      throw new SnapshotError("disk_full", { root: tree.root }, error);
    if (errno(error) === undefined) throw error;
    // Some may have been taken.
    return 1;
  }
}

/** One call flushes all files of the file system; the kernel knows which are new. */
async function flushTree(root: string): Promise<void> {
  const child = spawn("sync", ["-f", root], { env: { PATH: "/usr/bin:/bin" }, stdio: "ignore" });
  const [code] = await once(child, "close");
  if (code !== 0) throw new SnapshotError("restore_failed", { root, reason: "the files could not be flushed" });
}

/** Walks, plans and carries out until the tree matches the snapshot. Gives up when the tree keeps changing. */
async function* restoreRounds(
  { objects, recordOf, walkOf, remember, onPlaced }: RestoreParts & { readonly onPlaced: (bytes: number) => void },
  tree: TreeSpec,
  to: string,
  bwrapPath: string,
  { only, keep = [], base, from }: RestoreLimits,
): AsyncGenerator<void, Restored> {
  const startMs = performance.now();
  const target = recordOf(to);
  const before = base === undefined ? null : recordOf(base);
  const withOwner = process.getuid?.() === 0;
  let done: Done = { changed: 0, restored: [], removed: [] };
  let kept: readonly ByteName[] = [];
  let survey = createSurvey(objects);
  let last: KnownTree | undefined;
  for (let round = 1; ; round += 1) {
    const walked = yield* walkOf(tree, survey.batch, undefined, last);
    // All its contents are in the store.
    if (walked.record.listing === target.listing) remember(tree, walked);
    const since = before === null ? [] : changedMeanwhile(survey.objects, before, walked.record, target);
    const meant = { only: only === undefined ? null : new Set(only), keep: new Set([...keep, ...since]) };
    const plan = planRestore(survey.objects, walked.record, target, withOwner, meant);
    const isLeft = plan.remove.every(({ path }) => kept.includes(path)) && plan.create.length === 0;
    if (isEmptyPlan(plan) || (round > 1 && isLeft && plan.same.length + plan.settings.length === 0)) {
      const notRestored = [...new Set([...plan.cannot, ...kept])].map(shownName);
      return {
        to,
        ...done,
        notRestored,
        leftAlone: shownNames(since),
        tookMs: Math.round(performance.now() - startMs),
      };
    }
    if (round === ROUNDS_MAX) {
      const paths = [...plan.create, ...plan.same, ...plan.remove].map(({ path }) => shownName(path)).slice(0, 20);
      throw new SnapshotError("restore_failed", { root: tree.root, reason: "the tree keeps changing", paths });
    }
    if (round === 1) done = namesIn(plan);
    refuseFull(objects, plan, tree.root);
    const { dev, ino, top } = walked.tree;
    const seenAt = (path: ByteName) => entryAt(top, path);
    const order = { objects, plan, root: tree.root, top: { dev, ino }, withOwner, bwrapPath, seenAt, onSent: onPlaced };
    kept = (yield* carryOut(order)).kept;
    // Large files of a new tree have just been read, and nobody else can have changed them.
    if (from !== undefined) last = walked.tree;
    survey = createSurvey(from === undefined ? objects : survey.objects);
  }
}

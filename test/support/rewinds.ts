import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openSnapshotStore } from "../../src/host/snapshots/snapshot-store.ts";
import type { TreeSpec } from "../../src/host/snapshots/tree-spec.ts";
import { chanceOf, disturb, readWorld } from "./world.ts";

export interface RewindsOptions {
  readonly folder: string;
  readonly seed: number;
  readonly rounds: number;
  readonly bwrapPath: string;
}

const ACTS_MAX = 12;
const REWIND_SHARE = 0.4;
const SWEEP_SHARE = 0.1;
const REOPEN_SHARE = 0.1;

/**
 * One random history: changes as by a shell, snapshots, and sometimes a rewind to any earlier snapshot, also on an
 * abandoned branch. After each the tree is read by other means and compared byte by byte.
 */
export async function randomRewinds(
  options: RewindsOptions,
): Promise<{ readonly restores: number; readonly sessionFiles: number }> {
  const { folder, seed, rounds, bwrapPath } = options;
  const root = join(folder, "tree");
  mkdirSync(root, { recursive: true });
  const tree = treeAt(root);
  const chance = chanceOf(seed);
  const sessionFiles = new Map<string, readonly string[]>();
  let store = openSnapshotStore(join(folder, "store"));
  let restores = 0;
  for (let round = 0; round < rounds; round += 1) {
    const where = `seed ${seed}, round ${round}`;
    for (let acts = Math.ceil(chance() * ACTS_MAX); acts > 0; acts -= 1) disturb(root, chance);
    const taken = await finish(store.take(tree));
    const world = readWorld(root);
    deepStrictEqual(world, sessionFiles.get(taken.id) ?? world, `${where}: another tree under the same id`);
    sessionFiles.set(taken.id, world);
    if (chance() < REOPEN_SHARE) {
      store.close();
      store = openSnapshotStore(join(folder, "store"));
    }
    if (chance() < SWEEP_SHARE) await finish(store.sweep([...sessionFiles.keys()], false));
    if (chance() > REWIND_SHARE) continue;
    const ids = [...sessionFiles.keys()];
    const to = ids[Math.floor(chance() * ids.length)] ?? taken.id;
    await finish(store.restore(tree, to, bwrapPath));
    restores += 1;
    deepStrictEqual(readWorld(root), sessionFiles.get(to), `${where}: restored another tree`);
    strictEqual((await finish(store.take(tree))).id, to, `${where}: the restored tree has another id`);
  }
  store.close();
  return { restores, sessionFiles: sessionFiles.size };
}

export function treeAt(root: string, more: Partial<TreeSpec> = {}): TreeSpec {
  return { root, leaveOut: [], hidden: [], filesMax: 1_000_000, bytesMax: 1_000_000_000_000, ...more };
}

/** To the end, without a pause. */
export async function finish<T>(steps: Generator<void, T> | AsyncGenerator<void, T>): Promise<T> {
  while (true) {
    const { done, value } = await steps.next();
    if (done === true) return value;
  }
}

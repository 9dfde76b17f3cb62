import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Work } from "../../src/host/worktrees/find-work.ts";
import type { Worktree } from "../../src/host/worktrees/worktrees.ts";
import type { Bench } from "./worktree-bench.ts";

export type Told = { readonly [K in keyof Work]?: Work[K] };

const CLEAN: Work = { changed: [], untracked: [], carried: [], commits: [], nested: [], unclear: null };

/** Expects exactly this work to be reported, and the removal to act accordingly. */
export async function expectWork(bench: Bench, { id, path }: Worktree, told: Told): Promise<void> {
  expect(sorted(await bench.yard.work(id))).toEqual(sorted({ ...CLEAN, ...told }));
  const removal = await bench.yard.remove(id);
  expect(removal.removed).toBe(Object.keys(told).length === 0);
  if (removal.removed) await removal.finish();
  expect(existsSync(path)).toBe(!removal.removed);
}

function sorted(work: Work): object {
  const lists = Object.entries(work).map(([kind, told]) => [kind, Array.isArray(told) ? told.toSorted() : told]);
  return Object.fromEntries(lists);
}

export const fork = async (bench: Bench, { id }: Worktree, name = "fork"): Promise<Worktree> =>
  bench.yard.create(await bench.yard.planFork({ id: randomUUID(), from: id, name }), "2026-11-15T00:00:00.000Z");

export function commit(bench: Bench, path: string, name: string): string {
  bench.write(join(path, `${name}.txt`), name);
  bench.git(path, "add", `${name}.txt`);
  bench.git(path, "commit", "--quiet", "-m", name);
  return bench.git(path, "rev-parse", "HEAD");
}

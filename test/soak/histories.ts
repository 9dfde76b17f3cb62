import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomRewinds } from "../support/rewinds.ts";
import { runWorldStorm } from "../support/world-storm.ts";

const ROUNDS_A_HISTORY = 12;
const STEPS_A_HISTORY = 25;

export interface FilesSoak {
  readonly histories: number;
  readonly seed: number;
  readonly untilMs: number;
  /** A repository to clone and work in; null: a small one of our own. */
  readonly repository: string | null;
}

/** Random histories of a file tree with rewinds, in the store and through a daemon that is killed. */
export async function soakFiles({ histories, seed: first, untilMs, repository }: FilesSoak): Promise<void> {
  const held = { histories: 0, sessionFiles: 0, restores: 0, turns: 0, rewinds: 0, forks: 0, kills: 0 };
  while (held.histories < histories && Date.now() < untilMs) {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "nomos-soak-files-")));
    const seed = first + held.histories;
    const tree = { folder, seed, rounds: ROUNDS_A_HISTORY, bwrapPath: "bwrap" };
    const { restores, sessionFiles } = await randomRewinds(tree);
    held.histories += 1;
    held.restores += restores;
    held.sessionFiles += sessionFiles;
    const storm = { folder, seed, untilMs, print: console.log, steps: STEPS_A_HISTORY, repository };
    const through = await runWorldStorm(storm);
    for (const key of ["turns", "rewinds", "forks", "kills"] as const) held[key] += through[key];
    console.log(`${JSON.stringify(held)} held, up to seed ${seed}`);
    await rm(folder, { recursive: true, force: true });
  }
}

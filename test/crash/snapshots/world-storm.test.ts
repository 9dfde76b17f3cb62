import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { needs } from "../../support/needs.ts";
import { proves } from "../../support/proves.ts";
import { sampled } from "../../support/sampled.ts";
import { runWorldStorm } from "../../support/world-storm.ts";

/** In place and in a worktree, with walls and without; `npm run soak -- files` has more of them. */
const SEEDS = sampled([3, 4, 6, 44, 63, 84], [6, 44, 63, 84]);
const STEPS = sampled(25, 5);
const TEST_MAX_MS = 240_000;

proves.skipIf(!needs("bwrap"))(
  "SN-19",
  "shell and git turns, rewinds, forks and kill -9 at random: every file tree is as it was at its point",
  async () => {
    const total = { turns: 0, rewinds: 0, forks: 0, kills: 0 };
    for (const seed of SEEDS) {
      const folder = await realpath(await mkdtemp(join(tmpdir(), "nomos-world-storm-")));
      const untilMs = Date.now() + TEST_MAX_MS / SEEDS.length;
      const figures = await runWorldStorm({
        folder,
        seed,
        steps: STEPS,
        untilMs,
        repository: null,
        print: console.log,
      });
      for (const key of ["turns", "rewinds", "forks", "kills"] as const) total[key] += figures[key];
      await rm(folder, { recursive: true, force: true });
    }
    console.log(JSON.stringify(total));
    expect(total.forks).toBeGreaterThan(0);
    expect(Math.min(total.turns, total.rewinds, total.kills)).toBeGreaterThan(SEEDS.length);
  },
  TEST_MAX_MS,
);

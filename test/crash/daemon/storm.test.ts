import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { proves } from "../../support/proves.ts";
import { percentile, runStorm } from "../../support/storm-rounds.ts";

const ROUNDS = 25;
const STORM_MAX_MS = 230_000;

proves(
  "C2",
  `${ROUNDS} rounds of kill -9 and SIGTERM under load: nothing told is lost, nothing is done twice, nothing is left running`,
  async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "nomos-storm-")));
    const seed = Number(process.env["NOMOS_STORM_SEED"] ?? Date.now() % 1_000_000);
    const { upMs, termMs, verdict, rounds } = await runStorm({ folder, seed, rounds: ROUNDS, print: () => undefined });
    const figures = `up p50 ${percentile(upMs, 0.5)} ms, max ${percentile(upMs, 1)} ms; SIGTERM max ${percentile(termMs, 1)} ms`;
    console.log(`storm of seed ${seed}: ${rounds} rounds; ${figures}; ${JSON.stringify(verdict)}`);
    expect(rounds).toBe(ROUNDS);
    expect(verdict.completed).toBeGreaterThan(100);
    await rm(folder, { recursive: true, force: true });
  },
  STORM_MAX_MS,
);

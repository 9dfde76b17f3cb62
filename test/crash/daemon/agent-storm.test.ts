import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { runAgentStorm } from "../../support/agent-storm.ts";
import { proves } from "../../support/proves.ts";
import { sampled } from "../../support/sampled.ts";

const STRIKES = sampled(100, 24);
/** A busy machine manages fewer kills in this time; `npm run soak` runs longer. */
const STORM_MS = 60_000;
const STRIKES_MIN = 8;
const TEST_MAX_MS = 240_000;

proves(
  "AG-11",
  "agents and the daemon are killed at random moments: every session lives, nothing is done or said twice, no process is left",
  async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "nomos-agent-storm-")));
    const seed = Number(process.env["NOMOS_STORM_SEED"] ?? 1);
    const storm = { folder, seed, strikes: STRIKES, untilMs: Date.now() + STORM_MS, print: console.log };
    const figures = await runAgentStorm(storm);
    console.log(`storm over agents of seed ${seed}: ${JSON.stringify(figures)}`);
    expect(figures.agentKills + figures.daemonKills).toBeGreaterThanOrEqual(STRIKES_MIN);
    expect(figures.completed).toBeGreaterThan(5);
    await rm(folder, { recursive: true, force: true });
  },
  TEST_MAX_MS,
);

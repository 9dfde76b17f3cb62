import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { CHOSEN_STORE } from "../../support/chosen-store.ts";
import { runEngineStorm } from "../../support/engine-storm.ts";
import { proves } from "../../support/proves.ts";
import { sampled } from "../../support/sampled.ts";

const SESSIONS = sampled(200, CHOSEN_STORE === "sqlite" ? 10 : 5);
const COMMANDS = sampled(9, 4);
const PACE_MS = sampled(3000, 50);
const STRIKES = sampled(60, CHOSEN_STORE === "sqlite" ? 5 : 3);
/** A busy machine manages fewer kills in this time. */
const STORM_MS = sampled(300_000, 15_000);
const TEST_MAX_MS = 900_000;

proves(
  "REC-10",
  "many sessions while the engine and the daemon are killed at random: all end idle, each command ran once or is reported unknown, the log verifies",
  async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "nomos-engine-storm-")));
    const seed = Number(process.env["NOMOS_STORM_SEED"] ?? 1);
    const storm = {
      folder,
      seed,
      sessions: SESSIONS,
      commands: COMMANDS,
      paceMs: PACE_MS,
      strikes: STRIKES,
      untilMs: Date.now() + STORM_MS,
    };
    const figures = await runEngineStorm(storm);
    console.log(`storm over the engine of seed ${seed}: ${JSON.stringify(figures)}`);
    expect(figures.daemonKills + figures.engineKills).toBeGreaterThan(1);
    expect(figures.completed).toBeGreaterThan(SESSIONS / 2);
    await rm(folder, { recursive: true, force: true });
  },
  TEST_MAX_MS,
);

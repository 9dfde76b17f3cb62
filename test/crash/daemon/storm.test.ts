import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { CHOSEN_STORE } from "../../support/chosen-store.ts";
import { proves } from "../../support/proves.ts";
import { sampled } from "../../support/sampled.ts";
import { percentile, runStorm } from "../../support/storm-rounds.ts";

/** Each way to end a daemon at least once; on PostgreSQL exactly once. */
const ROUNDS = sampled(40, CHOSEN_STORE === "sqlite" ? 5 : 3);
/** A busy machine manages fewer rounds in this time; `npm run soak` runs longer. */
const STORM_MS = sampled(380_000, 140_000);
const ROUNDS_MIN = 3;
const TEST_MAX_MS = 420_000;

proves(
  "C2",
  "repeated kill -9 and SIGTERM under load: nothing acknowledged is lost, nothing is done twice, no process is left",
  async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "nomos-storm-")));
    const seed = Number(process.env["NOMOS_STORM_SEED"] ?? 1);
    const untilMs = Date.now() + STORM_MS;
    const said: string[] = [];
    const print = (line: string) => void said.push(line);
    const storm = runStorm({ folder, seed, rounds: ROUNDS, untilMs, print });
    const { upMs, termMs, verdict, rounds } = await storm.catch((thrown: unknown) => {
      console.log(said.join("\n"));
      throw thrown;
    });
    const up = `up p50 ${percentile(upMs, 0.5)} ms, max ${percentile(upMs, 1)} ms`;
    const stop = `SIGTERM max ${percentile(termMs, 1)} ms`;
    console.log(`storm of seed ${seed}: ${rounds} rounds; ${up}; ${stop}; ${JSON.stringify(verdict)}`);
    expect(rounds).toBeGreaterThanOrEqual(ROUNDS_MIN);
    expect(verdict.completed).toBeGreaterThan(rounds);
    await rm(folder, { recursive: true, force: true });
  },
  TEST_MAX_MS,
);

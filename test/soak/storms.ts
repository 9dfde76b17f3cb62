import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runAgentStorm } from "../support/agent-storm.ts";
import { percentile, runStorm } from "../support/storm-rounds.ts";
import type { Findings } from "./long-run.ts";

const ROUNDS_A_HOME = 40;

export interface StormSoak {
  readonly rounds: number;
  /** Kills of agents and daemon after each home; 0 for none. */
  readonly strikes: number;
  readonly seed: number;
  readonly untilMs: number;
}

/** Homes one after another, each with its own seed, so that a failure can be repeated by itself. */
export async function soakStorm({ rounds, strikes, seed, untilMs }: StormSoak): Promise<Findings> {
  const upMs: number[] = [];
  const counts = { rounds: 0, homes: 0, events: 0, turns: 0, completed: 0, effects: 0, facts: 0, agentKills: 0 };
  const failures: string[] = [];
  while (counts.rounds < rounds && Date.now() < untilMs && failures.length === 0) {
    const own = seed + counts.homes;
    try {
      const left = Math.min(ROUNDS_A_HOME, rounds - counts.rounds);
      const figures = await inFolder((folder) =>
        runStorm({ folder, seed: own, rounds: left, untilMs, print: (line) => console.log(`seed ${own} ${line}`) }),
      );
      upMs.push(...figures.upMs);
      counts.rounds += figures.rounds;
      counts.homes += 1;
      for (const key of ["events", "turns", "completed", "effects", "facts"] as const)
        counts[key] += figures.verdict[key];
      if (strikes > 0 && Date.now() < untilMs) {
        const struck = await inFolder((folder) =>
          runAgentStorm({ folder, seed: own, strikes, untilMs, print: console.log }),
        );
        counts.agentKills += struck.agentKills + struck.daemonKills;
      }
    } catch (thrown) {
      failures.push(`seed ${own}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
  }
  return {
    counts: { ...counts, "ms until up, median": percentile(upMs, 0.5), "ms until up, longest": percentile(upMs, 1) },
    failures,
  };
}

/** What failed is left for a look. */
async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "nomos-soak-")));
  const done = await work(folder);
  await rm(folder, { recursive: true, force: true });
  return done;
}

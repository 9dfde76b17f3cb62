import { runLeaseStorm } from "../support/lease-storm.ts";

const WORKERS = 8;
const STORM_S = 60;

export interface LeaseSoak {
  readonly rounds: number;
  readonly seed: number;
  readonly untilMs: number;
}

/** Storms one after another, each with its own seed and its own repository. Returns how many faults there were. */
export async function soakLeases({ rounds, seed, untilMs }: LeaseSoak): Promise<number> {
  const sums: Record<string, number> = {};
  let found = 0;
  for (let round = 0; round < rounds && Date.now() < untilMs && found === 0; round++) {
    const { counts, faults } = await runLeaseStorm({ seed: seed + round, seconds: STORM_S, workers: WORKERS });
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
    console.log(`seed ${seed + round}`, counts, faults);
    found += faults.length;
  }
  console.log("in all", sums);
  return found;
}

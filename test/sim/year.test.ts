import { expect } from "vitest";
import { liveOneYear } from "../definitions/year.ts";
import { proves } from "../support/proves.ts";
import { sampled } from "../support/sampled.ts";

const SEEDS = sampled(500, 4);

proves(
  "ALARM-3",
  "a year of clock changes, suspends, restarts and kills: each due time rings exactly once, never early",
  async () => {
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { breaches, rang, lives, leftOverdue } = await liveOneYear(seed);
      expect(breaches, `seed ${seed}`).toEqual([]);
      expect(leftOverdue, `seed ${seed}`).toBe(0);
      expect(rang).toBeGreaterThan(200);
      expect(lives).toBeGreaterThan(20);
    }
  },
  3_600_000,
);

proves("ALARM-3", "the simulated year finds an alarm that rings twice", async () => {
  const found = await Promise.all([1, 2, 3].map((seed) => liveOneYear(seed, true)));
  for (const { breaches } of found) expect(breaches.some((breach) => breach.includes("rang for"))).toBe(true);
});

import { expect } from "vitest";
import { proves } from "../support/proves.ts";
import { tellStory } from "./story.ts";

const SEEDS = 150;
const COMMANDS = 60;
const PLANTED_SEEDS_MAX = 20;
const STORIES_TIMEOUT_MS = 120_000;

/** Seeds that once broke a guarantee, tested for ever. */
const PINNED = [
  { seed: 67, commands: 80, once: "a session with a queue was put to sleep and never woken" },
  { seed: 273, commands: 80, once: "a full disk stopped a pump, and nobody started it again" },
  { seed: 99, commands: 400, once: "the same, in a fork" },
] as const;

proves(
  "SIM1",
  "random runs with crashes, full disks, zombies and busy clients break no guarantee",
  async () => {
    for (let seed = 10_001; seed <= 10_000 + SEEDS; seed += 1) {
      const { problems, events } = await tellStory({ seed, commands: COMMANDS, skipFence: false });
      expect({ seed, problems }).toEqual({ seed, problems: [] });
      expect(events).toBeGreaterThan(0);
    }
  },
  STORIES_TIMEOUT_MS,
);

proves("SIM2", "seeds that once broke a guarantee pass now", async () => {
  for (const { seed, commands } of PINNED) {
    const { problems } = await tellStory({ seed, commands, skipFence: false });
    expect({ seed, problems }).toEqual({ seed, problems: [] });
  }
});

proves("SIM3", "a store that does not check the fence is found out", async () => {
  let found = 0;
  for (let seed = 1; seed <= PLANTED_SEEDS_MAX; seed += 1) {
    const { problems } = await tellStory({ seed, commands: COMMANDS, skipFence: true });
    if (problems.some((problem) => problem.startsWith("written under an old fence"))) found += 1;
  }
  expect(found).toBeGreaterThan(0);
});

proves("SIM4", "a seed gives the same run twice", async () => {
  const story = { seed: 4711, commands: COMMANDS, skipFence: false };
  expect(await tellStory(story)).toEqual(await tellStory(story));
});

import { parseArgs } from "node:util";
import { type Outcome, tellStory } from "./story.ts";

/** `npm run sim -- --seeds 1000`: many random runs; a failing one is reduced and printed so that it can be pinned. */
const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "200" },
    from: { type: "string", default: "1" },
    commands: { type: "string", default: "60" },
    "skip-fence": { type: "boolean", default: false },
  },
});
const skipFence = values["skip-fence"];
const commands = Number(values.commands);
const from = Number(values.from);
let events = 0;
let incarnations = 0;

for (let seed = from; seed < from + Number(values.seeds); seed += 1) {
  const outcome = await tellStory({ seed, commands, skipFence });
  events += outcome.events;
  incarnations += outcome.incarnations;
  if (outcome.problems.length === 0) continue;
  const small = await shrink(seed, commands, outcome);
  process.stdout.write(`seed ${seed} fails (smallest: --from ${seed} --seeds 1 --commands ${small.commands})\n`);
  for (const problem of small.outcome.problems.slice(0, 20)) process.stdout.write(`  ${problem}\n`);
  process.exit(1);
}
process.stdout.write(`${values.seeds} stories, ${events} events, ${incarnations} daemons, no promise broken\n`);

/** The fewest commands with which the same seed still fails. */
async function shrink(
  seed: number,
  most: number,
  first: Outcome,
): Promise<{ readonly commands: number; readonly outcome: Outcome }> {
  let best = { commands: most, outcome: first };
  for (let fewer = 4; fewer < most; fewer += 4) {
    const outcome = await tellStory({ seed, commands: fewer, skipFence });
    if (outcome.problems.length > 0) return { commands: fewer, outcome };
    best = { ...best };
  }
  return best;
}

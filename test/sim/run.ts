import { fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { type Findings, longRun } from "../soak/long-run.ts";
import { type Outcome, tellStory } from "./story.ts";

/**
 * `npm run sim -- --seeds 1000`: many random runs, on every core; a failing one is reduced and printed so that it can be
 * pinned. `--engine`: with sessions of the own engine. `--record` writes the result for docs/reference/long-runs.md.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "200" },
    from: { type: "string", default: "1" },
    commands: { type: "string", default: "60" },
    engine: { type: "boolean", default: false },
    "skip-fence": { type: "boolean", default: false },
    record: { type: "boolean", default: false },
  },
});
/** A killed daemon's calls wait for ever, and in one process their memory stays. */
const PART_SEEDS = 2000;
const skipFence = values["skip-fence"];
const { engine } = values;
const commands = Number(values.commands);
const from = Number(values.from);
const seeds = Number(values.seeds);

if (process.send === undefined) process.exitCode = await longRun("sim", values.record, tellOnEveryCore);
else process.send(await tellStories());

/** Every core runs one part of the seeds after another, each in a process of its own. */
async function tellOnEveryCore(): Promise<Findings> {
  const parts = Array.from({ length: Math.ceil(seeds / PART_SEEDS) }, (_, at) => from + at * PART_SEEDS);
  const told: Findings[] = [];
  const work = async (): Promise<void> => {
    for (let first = parts.shift(); first !== undefined; first = parts.shift()) {
      told.push(await tellApart(first, Math.min(PART_SEEDS, from + seeds - first)));
      if (told.some(({ failures }) => failures.length > 0)) return;
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  const counts: Record<string, number> = {};
  for (const part of told)
    for (const [what, count] of Object.entries(part.counts)) counts[what] = (counts[what] ?? 0) + count;
  return { counts, failures: told.flatMap(({ failures }) => failures) };
}

async function tellApart(first: number, count: number): Promise<Findings> {
  const child = fork(import.meta.filename, [
    ...process.argv.slice(2),
    ...["--from", String(first), "--seeds", String(count)],
  ]);
  const died = once(child, "exit").then(([code]) => {
    throw new Error(`seeds from ${first}: the process ended with ${code} and told nothing`);
  });
  const [findings] = await Promise.race([once(child, "message"), died]);
  child.disconnect();
  return findings;
}

async function tellStories(): Promise<Findings> {
  const counts = { seeds: 0, events: 0, daemons: 0 };
  for (let seed = from; seed < from + seeds; seed += 1) {
    const outcome = await tellStory({ seed, commands, skipFence, engine });
    counts.seeds += 1;
    counts.events += outcome.events;
    counts.daemons += outcome.incarnations;
    if (outcome.problems.length === 0) continue;
    const small = await shrink(seed, commands, outcome);
    const again = `seed ${seed} fails (smallest: --from ${seed} --seeds 1 --commands ${small.commands})`;
    return { counts, failures: [again, ...small.outcome.problems.slice(0, 20)] };
  }
  return { counts, failures: [] };
}

/** The fewest commands with which the same seed still fails. */
async function shrink(
  seed: number,
  most: number,
  first: Outcome,
): Promise<{ readonly commands: number; readonly outcome: Outcome }> {
  let best = { commands: most, outcome: first };
  for (let fewer = 4; fewer < most; fewer += 4) {
    const outcome = await tellStory({ seed, commands: fewer, skipFence, engine });
    if (outcome.problems.length > 0) return { commands: fewer, outcome };
    best = { ...best };
  }
  return best;
}

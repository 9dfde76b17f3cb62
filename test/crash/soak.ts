import { spawnSync } from "node:child_process";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runAgentStorm } from "../support/agent-storm.ts";
import { randomRewinds } from "../support/rewinds.ts";
import { percentile, runStorm } from "../support/storm-rounds.ts";
import { runWorldStorm } from "../support/world-storm.ts";

/**
 * `npm run soak -- --rounds 1000 --minutes 60 --seed 7`: runs the crash storm for a long time. After each home follows
 * a storm
 * over agents: `--strikes 200` kills of agents and daemon; 0 for none. With `--files` instead: random histories of a
 * file
 * tree with rewinds, in the store and through a daemon that is killed, on a clone of `--repo` if given; a round is one
 * history. With `--turns` instead: a turn with parallel effects and questions, killed at each of its events, on both
 * stores.
 */
const ROUNDS_A_HOME = 40;
const ROUNDS_A_HISTORY = 12;
const STEPS_A_HISTORY = 25;

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "1000" },
    minutes: { type: "string", default: "60" },
    strikes: { type: "string", default: "100" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    files: { type: "boolean", default: false },
    turns: { type: "boolean", default: false },
    repo: { type: "string" },
  },
});
const untilMs = Date.now() + Number(values.minutes) * 60_000;
if (values.turns) process.exit(soakTurns());
if (values.files) await soakFiles();
const upMs: number[] = [];
const total = { rounds: 0, events: 0, turns: 0, completed: 0, effects: 0, facts: 0 };

for (let home = 0; !values.files && total.rounds < Number(values.rounds) && Date.now() < untilMs; home += 1) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "nomos-soak-")));
  const seed = Number(values.seed) + home;
  const rounds = Math.min(ROUNDS_A_HOME, Number(values.rounds) - total.rounds);
  const figures = await runStorm({
    folder,
    seed,
    rounds,
    untilMs,
    print: (line) => console.log(`seed ${seed} ${line}`),
  });
  upMs.push(...figures.upMs);
  total.rounds += figures.rounds;
  for (const key of ["events", "turns", "completed", "effects", "facts"] as const) total[key] += figures.verdict[key];
  console.log(
    `${total.rounds} rounds held: ${JSON.stringify(total)}; up p50 ${percentile(upMs, 0.5)} ms, max ${percentile(upMs, 1)} ms`,
  );
  await rm(folder, { recursive: true, force: true });
  await strikeAgents(seed);
}

async function strikeAgents(seed: number): Promise<void> {
  const strikes = Number(values.strikes);
  if (strikes === 0 || Date.now() > untilMs) return;
  const folder = await realpath(await mkdtemp(join(tmpdir(), "nomos-soak-agents-")));
  const figures = await runAgentStorm({ folder, seed, strikes, untilMs, print: console.log });
  console.log(`seed ${seed}, agents: ${JSON.stringify(figures)}`);
  await rm(folder, { recursive: true, force: true });
}

function soakTurns(): number {
  const projects = ["--project", "e2e", "--project", "e2e-postgres"];
  const { status } = spawnSync("npx", ["vitest", "run", "test/e2e/parallel-turn.test.ts", ...projects], {
    stdio: "inherit",
    env: { ...process.env, NOMOS_TEST_EVERY_EVENT: "1" },
  });
  return status ?? 1;
}

async function soakFiles(): Promise<void> {
  const held = { histories: 0, sessionFiles: 0, restores: 0, turns: 0, rewinds: 0, forks: 0, kills: 0 };
  while (held.histories < Number(values.rounds) && Date.now() < untilMs) {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "nomos-soak-files-")));
    const seed = Number(values.seed) + held.histories;
    const { restores, sessionFiles } = await randomRewinds({
      folder,
      seed,
      rounds: ROUNDS_A_HISTORY,
      bwrapPath: "bwrap",
    });
    held.histories += 1;
    held.restores += restores;
    held.sessionFiles += sessionFiles;
    const through = await runWorldStorm({
      ...{ folder, seed, untilMs, print: console.log },
      steps: STEPS_A_HISTORY,
      repository: values.repo ?? null,
    });
    for (const key of ["turns", "rewinds", "forks", "kills"] as const) held[key] += through[key];
    console.log(`${JSON.stringify(held)} held, up to seed ${seed}`);
    await rm(folder, { recursive: true, force: true });
  }
  console.log(`${JSON.stringify(held)} held`);
}

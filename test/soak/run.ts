import { parseArgs } from "node:util";
import setUpProduct from "../support/product-setup.ts";
import { longRun } from "./long-run.ts";
import { wholeTests } from "./whole-tests.ts";

/**
 * `npm run soak -- [what] [--minutes 60] [--seed 7] [--record]`: the tests that a normal run only samples, for as long
 * as it takes. Without a name: `steady`, then `whole`. `--record` writes test/soak/results, from which `npm run docs`
 * makes docs/reference/long-runs.md.
 */
const USAGE = `npm run soak -- [what] [options]
  whole                         every test, with nothing sampled
  steady --minutes 60           one daemon under steady load: memory, open files and lag over time
  storm --rounds 1000           a loaded daemon is ended again and again; --strikes 100 kills of agents after each home
  faults                        every write and flush of the log fails, one after another
  turns                         a turn with parallel effects, killed at each of its events, on both stores
  files --rounds 100            random histories of a file tree with rewinds and kills; --repo PATH to work in a clone
  landings                      thirty sessions land at once while the daemon is killed and a person commits
  leases --rounds 10            processes in clones race for tickets and are killed, a minute a round
  canaries --rounds 1000000     so many events with secrets among them; then every byte that was written is searched
  --minutes 60                  begins nothing after this time (steady: ends then)
  --seed 7                      of storm, files, leases and canaries
  --record                      the result goes to docs/reference/long-runs.md`;
const EXIT_USAGE = 2;
const FAULTS = "test/crash/store/faults.test.ts";
const LANDINGS = "test/crash/daemon/landings.test.ts";
const TURNS = "test/e2e/parallel-turn.test.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "1000" },
    minutes: { type: "string" },
    strikes: { type: "string", default: "0" },
    seed: { type: "string", default: "1" },
    repo: { type: "string" },
    record: { type: "boolean", default: false },
  },
});
const { record } = values;
const [rounds, strikes, seed] = [Number(values.rounds), Number(values.strikes), Number(values.seed)];
const minutesMs = Number(values.minutes ?? 60) * 60_000;
const untilMs = values.minutes === undefined ? Number.POSITIVE_INFINITY : Date.now() + minutesMs;

const COMMANDS: Readonly<Record<string, () => Promise<number>>> = {
  whole: () => longRun("whole", record, async () => wholeTests()),
  faults: () => longRun("faults", record, async () => wholeTests("--project", "crash", FAULTS)),
  landings: async () => wholeTests("--project", "crash", LANDINGS).failures.length,
  turns: async () => wholeTests("--project", "e2e", "--project", "e2e-postgres", TURNS).failures.length,
  // Loaded only now: what starts a daemon reads where the product is when it is loaded.
  steady: async () => {
    const { soakSteadily } = await import("./steady-load.ts");
    return longRun("steady", record, () => soakSteadily(minutesMs));
  },
  storm: async () => {
    const { soakStorm } = await import("./storms.ts");
    return longRun("storm", record, () => soakStorm({ rounds, strikes, seed, untilMs }));
  },
  canaries: async () => {
    const { soakCanaries } = await import("./canaries.ts");
    return longRun("canaries", record, () => soakCanaries({ events: rounds, seed }));
  },
  leases: async () => {
    const { soakLeases } = await import("./leases.ts");
    return soakLeases({ rounds, seed, untilMs });
  },
  files: async () => {
    const { soakFiles } = await import("./histories.ts");
    await soakFiles({ histories: rounds, seed, untilMs, repository: values.repo ?? null });
    return 0;
  },
};

await setUpProduct();
for (const name of positionals.length === 0 ? ["steady", "whole"] : positionals) {
  const command = COMMANDS[name];
  if (command === undefined) console.error(USAGE);
  process.exitCode = Math.max(Number(process.exitCode ?? 0), (await command?.()) ?? EXIT_USAGE);
}

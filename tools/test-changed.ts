/**
 * `npm run test:changed [-- --since REVISION] [-- --seconds N]`: types, and the tests closest to what changed, within
 * about a minute. It says what it left out: `npm test` runs everything.
 */
import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { changedFiles } from "./test-changed/changed-files.ts";
import { type Candidate, chooseTests } from "./test-changed/choose.ts";
import { distancesFrom, readImporters } from "./test-changed/importers.ts";
import { readLastRun, readRecord } from "./test-times/times.ts";

const ROOT = join(import.meta.dirname, "..");
const BIN = join(ROOT, "node_modules", ".bin");
/** A minute, less the types and the start of the runner. */
const SECONDS = 35;
const WORKERS = Math.min(2, availableParallelism());
/** The same files on the other store, and what needs an install: left to `npm test`. */
const NOT_HERE: ReadonlySet<string> = new Set(["e2e-postgres", "storm-postgres", "pack", "agents"]);

process.exitCode = main();

function main(): number {
  const { values } = parseArgs({ options: { since: { type: "string" }, seconds: { type: "string" } } });
  const changed = changedFiles(ROOT, values.since);
  const distances = distancesFrom(changed, readImporters(ROOT));
  const budgetS = Number(values.seconds ?? SECONDS) * WORKERS;
  const { run, leftOut } = chooseTests(changed, candidates(changed), distances, budgetS);
  console.log(
    `${changed.length} changed files; ${run.length} test files of ${run.length + leftOut.length} that reach them`,
  );
  const types = spawnSync("npm", ["run", "-s", "check:types"], { cwd: ROOT, stdio: "inherit" });
  if (types.status !== 0 || run.length === 0) return types.status ?? 1;
  const projects = [...new Set(run.map(({ project }) => `--project=${project}`))];
  const tests = spawnSync(join(BIN, "vitest"), ["run", ...projects, ...run.map(({ path }) => path)], {
    cwd: ROOT,
    stdio: "inherit",
  });
  if (leftOut.length > 0) console.log(`left to \`npm test\`: ${leftOut.length} files, the closest ${leftOut[0]?.path}`);
  return tests.status ?? 1;
}

/** Every test file that was ever timed, and changed ones that are new. */
function candidates(changed: readonly string[]): readonly Candidate[] {
  const projects = { ...readRecord()?.projects, ...readLastRun()?.projects };
  const timed = Object.entries(projects)
    .filter(([project]) => !NOT_HERE.has(project))
    .flatMap(([project, { files }]) => Object.entries(files).map(([path, seconds]) => ({ project, path, seconds })));
  const isNew = (path: string) => path.endsWith(".test.ts") && timed.every((known) => known.path !== path);
  return [...timed, ...changed.filter(isNew).map((path) => ({ project: "*", path, seconds: 0 }))];
}

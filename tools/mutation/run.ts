/**
 * `npm run mutation -- [--only NAME|FOLDER] [--seed N] [--minutes M] [--sample K] [--near] [--quick] [--faults]`: puts
 * small faults into the code, one at a time, and reports those that no test notices. Works in a copy of the tree.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { isExplained, readExplained, staleExplanations } from "./explained.ts";
import { describeMutant, describeStale, writeResult } from "./results.ts";
import { type HuntOptions, runTarget } from "./run-target.ts";
import { sourceFiles } from "./source-files.ts";
import { TARGETS, type Target } from "./targets.ts";
import { tryFaults } from "./try-faults.ts";

const root = join(import.meta.dirname, "../..");
const { values } = parseArgs({
  options: {
    only: { type: "string" },
    seed: { type: "string", default: "1" },
    minutes: { type: "string", default: "90" },
    sample: { type: "string" },
    /** Without the tests that start daemons. */
    near: { type: "boolean", default: false },
    /** The quickest tests only, for a first impression. */
    quick: { type: "boolean", default: false },
    /** Only the faults that are written down. */
    faults: { type: "boolean", default: false },
  },
});
const startedMs = Date.now();
const explained = readExplained(root);
const isName = TARGETS.some(({ name }) => name === values.only);
const options: HuntOptions = {
  root,
  under: values.only === undefined || isName ? null : values.only,
  sample: values.sample === undefined ? null : Number(values.sample),
  seed: Number(values.seed),
  endsAtMs: startedMs + Number(values.minutes) * 60_000,
  far: !values.near,
  quick: values.quick,
  isExplained: (mutant) => isExplained(mutant, explained),
  say: (line) => console.log(line),
};
const isWanted = ({ name, files }: Target): boolean =>
  isName ? name === values.only : sourceFiles(root, files).some(({ path }) => path.startsWith(values.only ?? ""));
const wanted = values.faults ? [] : TARGETS.filter(isWanted);
let unmet = 0;
for (const target of wanted) unmet += await report(target);
if (values.only === undefined) unmet += (await tryFaults(root, options.say)).length;
process.exitCode = unmet === 0 ? 0 : 1;

async function report(target: Target): Promise<number> {
  console.log(target.name);
  const targetStartedMs = Date.now();
  const hunted = await runTarget(target, options);
  const unexplained = hunted.survivors.filter((mutant) => !options.isExplained(mutant));
  const explainedCount = hunted.survivors.length - unexplained.length;
  const paths = hunted.files.map(({ path }) => path);
  const stale = staleExplanations(explained, paths, hunted.made);
  for (const mutant of unexplained) console.log(`  survived: ${describeMutant(mutant)}`);
  for (const one of stale) console.log(`  explained, but no longer made: ${describeStale(one)}`);
  console.log(`  ${unexplained.length} survivors, ${explainedCount} explained`);
  if (Date.now() >= options.endsAtMs) console.log("  stopped early: not every test was tried on every survivor");
  const { killedByTests, killedByTypes, killedByDaemons } = hunted;
  if (options.under === null && !options.quick)
    writeResult(root, {
      target: target.name,
      date: new Date().toISOString().slice(0, 10),
      minutes: Math.round((Date.now() - targetStartedMs) / 60_000),
      made: hunted.made.length,
      tried: hunted.tried.length,
      killedByTests,
      killedByTypes,
      killedByDaemons,
      explained: explainedCount,
      survivors: unexplained.map(({ file, line, fn, kind, from, to }) => ({ file, line, fn, kind, from, to })),
    });
  return unexplained.length + stale.length;
}

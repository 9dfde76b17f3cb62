import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readExplained } from "../mutation/explained.ts";
import { RESULTS_FOLDER, type TargetResult } from "../mutation/results.ts";
import { TARGETS } from "../mutation/targets.ts";
import { code, fence, page, table } from "./markdown.ts";

const ROOT = join(import.meta.dirname, "../..");

/** What the last mutation run found, and why its survivors live. */
export function mutationPage(): string {
  const results = TARGETS.flatMap(({ name }) => resultOf(ROOT, name));
  const explained = readExplained(ROOT);
  return page(
    "Mutation run",
    "A mutation run checks the tests. It puts one small fault at a time into the code (a condition that is always true, a check left out, a call that is not made) and runs the tests. A fault that no test notices survives: it needs a new test, or a reason why it does no harm.",
    fence(
      "sh",
      "npm run mutation                                  # everything, about an hour on two cores\nnpm run mutation -- --only tokens                 # one target\nnpm run mutation -- --only src/commit/queues      # one folder\nnpm run mutation -- --sample 100 --seed 7         # some mutants of each target\nnpm run mutation -- --near                        # without the tests that start daemons",
    ),
    "The run works in a copy of the tree. It exits with 1 when a survivor is not explained, or when an explanation fits no mutant any more. Explanations are in `tools/mutation/explained.json`; which tests guard which folder is in `tools/mutation/targets.ts`.",
    "## The last run",
    "Killed by tests: a test of the same room or a neighbour failed. By daemons: only a test that starts the real daemon failed. By types: `tsc` refuses the change.",
    table(
      ["target", "mutants", "tried", "by tests", "by daemons", "by types", "explained", "survived", "date"],
      results.map((one) => [
        one.target,
        String(one.made),
        String(one.tried),
        String(one.killedByTests),
        String(one.killedByDaemons),
        String(one.killedByTypes),
        String(one.explained),
        String(one.survivors.length),
        one.date,
      ]),
    ),
    "## Survivors that do no harm",
    table(
      ["where", "change", "why no test has to notice"],
      explained.map(({ file, fn, kind, from = "", why }) => [
        `${code(file)} ${code(fn)}`,
        from === "" ? kind : `${kind}: ${code(from.replaceAll("`", "'"))}`,
        why,
      ]),
    ),
    ...surviving(results),
  );
}

function surviving(results: readonly TargetResult[]): readonly string[] {
  const all = results.flatMap(({ survivors }) => survivors);
  if (all.length === 0) return [];
  return [
    "## Survivors without a test or a reason yet",
    table(
      ["where", "change"],
      all.map(({ file, fn, kind, from }) => [
        `${code(file)} ${code(fn)}`,
        `${kind}: ${code(from.slice(0, 120).replaceAll("`", "'"))}`,
      ]),
    ),
  ];
}

function resultOf(root: string, target: string): readonly TargetResult[] {
  return globSync(`${RESULTS_FOLDER}/${target}.json`, { cwd: root }).map((path) =>
    JSON.parse(readFileSync(join(root, path), "utf8")),
  );
}

import { LONG_RUNS, type LongRun, type LongRunName, readLongRun, type Trend } from "../../test/soak/long-run.ts";
import { code, page, table } from "./markdown.ts";

/** The last recorded long runs, from test/soak/results. */
export function longRunsPage(): string {
  const names = Object.keys(LONG_RUNS).filter((name): name is LongRunName => name in LONG_RUNS);
  const runs = names.map((name) => ({ name, found: readLongRun(name) }));
  return page(
    "Long runs",
    INTRODUCTION,
    table(
      ["run", "what", "last run", "took", "counted", "failures"],
      runs.map(({ name, found }) => [code(name), LONG_RUNS[name].what, ...cellsOf(found)]),
    ),
    "## Memory, open files and lag",
    "A line is fitted to the samples after the first quarter of the run. Flat: the line rises by less than noise does.",
    table(["measured", "at the beginning", "at the end", "flat"], trendRows(runs.map(({ found }) => found))),
    "## Run them yourself",
    `\`\`\`sh\n${names.map((name) => LONG_RUNS[name].command).join("\n")}\n\`\`\``,
    "Each prints a summary at its end. `--record` also writes its result into `test/soak/results`; `npm run docs` makes this page from there.",
  );
}

const INTRODUCTION =
  "`npm test` takes a sample of some tests: a few rounds of a storm, a few of the places where a disk can fail. The sample is large enough to fail when a guarantee is broken. These runs leave nothing out, and are run now and then.";

function cellsOf(run: LongRun | null): readonly string[] {
  if (run === null) return ["not recorded yet", "", "", ""];
  const { date, node, cores, seconds, counts, failures } = run;
  const counted = Object.entries(counts).map(([what, count]) => `${what} ${count.toLocaleString("en")}`);
  return [
    `${date.slice(0, 10)}, Node ${node.slice(1)}, ${cores} cores`,
    seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`,
    counted.join("; "),
    failures.length === 0 ? "none" : failures.join("; "),
  ];
}

function trendRows(runs: readonly (LongRun | null)[]): readonly (readonly string[])[] {
  const trends = runs.flatMap((run) => Object.entries<Trend>(run?.trends ?? {}));
  return trends.map(([what, { unit, begin, end, isFlat }]) => [
    what,
    `${begin} ${unit}`,
    `${end} ${unit}`,
    isFlat ? "yes" : "no",
  ]);
}

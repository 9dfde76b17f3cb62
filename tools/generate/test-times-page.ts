import { PROJECTS } from "../../test/projects.ts";
import { type RunTimes, readRecord, secondsOf } from "../test-times/times.ts";
import { code, page, table } from "./markdown.ts";

const LONGEST = 25;

/** Where the time of a whole run goes, from test/times.json (`npm run test:times`). */
export function testTimesPage(): string {
  const times = readRecord();
  if (times === null) return page("Where the time of the tests goes", "No run was recorded yet.");
  return page(
    "Where the time of the tests goes",
    `The last recorded run of everything, on ${times.cores} cores: ${minutes(times.wallS)} without the checks before it. Seconds are summed over the workers, which run side by side; the budgets together are ten minutes of three workers on two cores. \`npm test && npm run test:times && npm run docs\` makes this page again (measured ${times.date}).`,
    "## Projects",
    table(["project", "what", "files", "tests", "seconds", "budget"], projectRows(times)),
    "## The longest files",
    table(["project", "file", "seconds"], longest(times)),
    "Tests start in the order of these times, the longest first, so that no core waits for the other at the end. `npm run test:changed` uses them to choose what fits into a minute.",
  );
}

function projectRows({ projects }: RunTimes): readonly (readonly string[])[] {
  return PROJECTS.flatMap(({ name, what, budgetS }) => {
    const times = projects[name];
    if (times === undefined) return [];
    const seconds = Math.round(secondsOf(times));
    const over = seconds > budgetS ? " (over)" : "";
    return [
      [code(name), what, `${Object.keys(times.files).length}`, `${times.tests}`, `${seconds}${over}`, `${budgetS}`],
    ];
  });
}

function longest({ projects }: RunTimes): readonly (readonly string[])[] {
  return Object.entries(projects)
    .flatMap(([project, { files }]) => Object.entries(files).map(([path, seconds]) => ({ project, path, seconds })))
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, LONGEST)
    .map(({ project, path, seconds }) => [code(project), code(path), seconds.toFixed(1)]);
}

function minutes(seconds: number): string {
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

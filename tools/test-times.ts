/** `npm run test:times`: keeps the times of the last run in the repository; `npm run docs` makes the page of them. */
import { PROJECTS } from "../test/projects.ts";
import { readLastRun, readRecord, writeRecord } from "./test-times/times.ts";

const last = readLastRun();
const missing = PROJECTS.filter(({ name, onDemand = false }) => !onDemand && last?.projects[name] === undefined);
if (last === null || missing.length > 0) {
  console.error(`not a whole run, ${missing.map(({ name }) => name).join(", ")} did not run: run \`npm test\` first`);
  process.exitCode = 1;
} else {
  const before = readRecord();
  writeRecord({ ...last, projects: { ...before?.projects, ...last.projects } });
  console.log("test/times.json is written; `npm run docs` makes docs/reference/test-times.md of it");
}

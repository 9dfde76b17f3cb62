/** `npm run test:times`: keeps the times of the last whole run in the repository; `npm run docs` makes the page of them. */
import { readLastRun, readRecord, writeRecord } from "./test-times/times.ts";

const last = readLastRun();
if (last === null) {
  console.error("nothing was measured yet: run `npm test` first");
  process.exitCode = 1;
} else {
  writeRecord({ ...last, projects: { ...readRecord()?.projects, ...last.projects } });
  console.log("test/times.json is written; `npm run docs` makes docs/reference/test-times.md of it");
}

export { openBench } from "./bench/open-bench.ts";
export { restartBy } from "./bench/restart-by.ts";
export { summary } from "./report.ts";
export { type Result, runCases } from "./run-cases.ts";

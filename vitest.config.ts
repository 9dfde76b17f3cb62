import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { PROJECTS, type Project } from "./test/projects.ts";
import { bundledThreads } from "./tools/bundled-threads.ts";
import { ClosingLineReporter } from "./tools/closing-line-reporter.ts";
import { LongestFirst } from "./tools/test-times/longest-first.ts";
import { TimesReporter } from "./tools/test-times/times-reporter.ts";

const withAgents = process.env["NOMOS_TEST_AGENTS"] === "1";
/** A test that runs whole may take as long as it needs. */
const isWhole = process.env["NOMOS_TEST_WHOLE"] === "1";
const WHOLE_TIMEOUT_MS = 4 * 3_600_000;
const forbidSkip = process.env["NOMOS_TEST_FORBID_SKIP"] === "1";

// Hundreds of processes and threads load the same files: only the first compiles them.
process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "node_modules/.cache/nomos-compiled");

const WORKERS_MAX = 6;

export default defineConfig({
  plugins: [bundledThreads()],
  // As tsconfig.web.json and tools/bundle-web.ts say it.
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  test: {
    pool: "forks",
    // One more than the cores: many tests wait for a process or a disk. Two more measured no faster.
    maxWorkers: Math.min(availableParallelism() + 1, WORKERS_MAX),
    sequence: { sequencer: LongestFirst },
    reporters: ["default", new TimesReporter(), new ClosingLineReporter({ forbidSkip })],
    projects: PROJECTS.filter(({ onDemand = false }) => withAgents || !onDemand).map(toVitest),
  },
});

function toVitest(project: Project) {
  const { name, include, exclude = [], testTimeoutS, product = false, postgres = false, store } = project;
  return {
    extends: true as const,
    test: {
      name,
      environment: "node" as const,
      env: store === undefined ? {} : { NOMOS_TEST_STORE: store },
      globalSetup: [
        ...(product ? ["test/support/product-setup.ts"] : []),
        ...(postgres ? ["test/support/postgres-setup.ts"] : []),
      ],
      include: [...include],
      isolate: project.oneProcess !== true,
      exclude: ["**/node_modules/**", ...exclude],
      retry: project.retries ?? 0,
      testTimeout: isWhole ? WHOLE_TIMEOUT_MS : testTimeoutS * 1000,
      hookTimeout: testTimeoutS * 1000,
    },
  };
}

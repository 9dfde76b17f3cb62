import { defineConfig } from "vitest/config";
import { ClosingLineReporter } from "./tools/closing-line-reporter.ts";

const secondsMs = (seconds: number): number => seconds * 1000;

interface Project {
  readonly name: string;
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
  readonly testTimeoutMs: number;
  /** Its tests find a real PostgreSQL in NOMOS_TEST_POSTGRES. */
  readonly postgres?: boolean;
  /** Where its daemons keep their log; SQLite unless it says so. */
  readonly store?: "postgres";
}

/** A test belongs to a project by where it lies. `unit` takes what no other claims, so no test falls between two. */
const PROJECTS: readonly Project[] = [
  {
    name: "unit",
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: [
      "test/contract/**",
      "test/crash/**",
      "test/e2e/**",
      "test/agents/proof/**",
      "test/pack*.test.ts",
      "test/walls/**",
    ],
    testTimeoutMs: secondsMs(60),
  },
  { name: "contract", include: ["test/contract/**/*.test.ts"], testTimeoutMs: secondsMs(120), postgres: true },
  { name: "crash", include: ["test/crash/**/*.test.ts"], testTimeoutMs: secondsMs(240), postgres: true },
  { name: "e2e", include: ["test/e2e/**/*.test.ts"], testTimeoutMs: secondsMs(120) },
  {
    name: "e2e-postgres",
    include: ["test/e2e/**/*.test.ts"],
    exclude: ["test/e2e/mcp-inspector.test.ts"],
    testTimeoutMs: secondsMs(120),
    postgres: true,
    store: "postgres",
  },
  {
    name: "storm-postgres",
    include: ["test/crash/daemon/storm.test.ts"],
    testTimeoutMs: secondsMs(240),
    postgres: true,
    store: "postgres",
  },
  { name: "walls", include: ["test/walls/**/*.test.ts"], testTimeoutMs: secondsMs(240) },
  { name: "pack", include: ["test/pack*.test.ts"], testTimeoutMs: secondsMs(180) },
  // Real agents, which have to be installed first: `npm run test:agents`.
  ...(process.env["NOMOS_TEST_AGENTS"] === "1"
    ? [{ name: "agents", include: ["test/agents/proof/*.test.ts"], testTimeoutMs: secondsMs(180) }]
    : []),
];

export default defineConfig({
  test: {
    pool: "forks",
    maxWorkers: 2,
    reporters: ["default", new ClosingLineReporter({ forbidSkip: process.env["NOMOS_TEST_FORBID_SKIP"] === "1" })],
    projects: PROJECTS.map(({ name, include, exclude = [], testTimeoutMs, postgres = false, store }) => ({
      extends: true,
      test: {
        name,
        environment: "node",
        env: store === undefined ? {} : { NOMOS_TEST_STORE: store },
        globalSetup: postgres ? ["test/support/postgres-setup.ts"] : [],
        include: [...include],
        exclude: ["**/node_modules/**", ...exclude],
        testTimeout: testTimeoutMs,
        hookTimeout: testTimeoutMs,
      },
    })),
  },
});

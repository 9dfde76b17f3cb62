import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { z } from "zod";
import type { Findings } from "./long-run.ts";

const ROOT = join(import.meta.dirname, "../..");

const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      message: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string(), duration: z.number().nullish() })),
    }),
  ),
});

/** Tests with nothing left out: `sampled(whole, few)` gives the whole. */
export function wholeTests(...chosen: readonly string[]): Findings {
  const folder = mkdtempSync(join(tmpdir(), "nomos-whole-"));
  const file = join(folder, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...reporters, ...chosen], {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...process.env, NOMOS_TEST_WHOLE: "1" },
  });
  const { testResults } = Report.parse(JSON.parse(readFileSync(file, "utf8")));
  rmSync(folder, { recursive: true });
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.filter(({ status }) => status === "failed").map(({ fullName }) => fullName);
  const broken = testResults.filter(({ assertionResults, message }) => assertionResults.length === 0 && message !== "");
  return {
    counts: {
      files: testResults.length,
      tests: tests.length,
      passed: tests.filter(({ status }) => status === "passed").length,
      "longest test, in seconds": Math.round(Math.max(0, ...tests.map(({ duration }) => duration ?? 0)) / 1000),
    },
    failures: [...failed, ...broken.map(({ name, message }) => `${relative(ROOT, name)}: ${message}`)],
  };
}

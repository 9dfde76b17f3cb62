import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createVitest } from "vitest/node";
import { RUNNER_FILE } from "./copy-tree.ts";
import { PLAN_FILE, type Plan, REPORT_FILE, type Report } from "./in-copy/mutant-runner.ts";
import { ACTIVE_FILE, type Active, REACHED_FILE } from "./in-copy/mutant-switch.ts";

/** One vitest that stays alive: a run costs a fork, not a start. */
export interface TestSession extends AsyncDisposable {
  /** Resolves with what the runner reported. Ends a run in which nothing is reported for `silenceMaxMs`. */
  readonly run: (file: string, plan: Plan, silenceMaxMs: number) => Promise<readonly Report[]>;
}

const LOOK_MS = 250;
const TEST_TIMEOUT_MS = 120_000;

export async function openTestSession(copy: string): Promise<TestSession> {
  const vitest = await createVitest("test", {
    root: copy,
    config: false,
    watch: false,
    pool: "forks",
    maxWorkers: 1,
    fileParallelism: false,
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    runner: join(copy, RUNNER_FILE),
    reporters: [{}],
    silent: true,
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: TEST_TIMEOUT_MS,
    dangerouslyIgnoreUnhandledErrors: true,
  });
  await vitest.standalone();
  const project = vitest.getRootProject();

  const reported = async (): Promise<readonly Report[]> => {
    const text = await readFile(join(copy, REPORT_FILE), "utf8").catch(() => "");
    return text
      .split("\n")
      .filter(Boolean)
      .map((line): Report => JSON.parse(line));
  };
  return {
    run: async (file, plan, silenceMaxMs) => {
      const active: Active = {
        mutant: plan.do === "whole" ? plan.mutant : 0,
        epoch: 0,
        recording: plan.do === "record",
      };
      await Promise.all([REPORT_FILE, REACHED_FILE].map((name) => rm(join(copy, name), { force: true })));
      await writeFile(join(copy, ACTIVE_FILE), JSON.stringify(active));
      await writeFile(join(copy, PLAN_FILE), JSON.stringify(plan));
      const stopWatching = endWhenSilent(reported, silenceMaxMs);
      try {
        await vitest.runTestSpecifications([project.createSpecification(join(copy, file))]);
      } finally {
        stopWatching();
      }
      return reported();
    },
    [Symbol.asyncDispose]: () => vitest.close(),
  };
}

/** A loop that never ends answers no signal but the last one. */
function endWhenSilent(reported: () => Promise<readonly Report[]>, silenceMaxMs: number): () => void {
  let lines = 0;
  let sinceMs = performance.now();
  const look = async (): Promise<void> => {
    const now = await reported();
    if (now.length !== lines) {
      lines = now.length;
      sinceMs = performance.now();
    }
    const pid = now.find((line) => line.at === "started")?.pid;
    if (pid === undefined || performance.now() - sinceMs < silenceMaxMs) return;
    clearInterval(timer);
    endProcess(pid);
  };
  const timer = setInterval(() => void look(), LOOK_MS);
  return () => clearInterval(timer);
}

/** One that has ended by itself in the meantime needs no signal. */
function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (thrown) {
    if (!(thrown instanceof Error && "code" in thrown && thrown.code === "ESRCH")) throw thrown;
  }
}

/** Runs inside vitest's worker: each test once for every mutant that it reaches. Lies at the root of the copy. */
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTick } from "node:timers/promises";
import fc from "fast-check";
import { type RunnerTestCase, type RunnerTestFile, TestRunner, type TestRunnerConfig } from "vitest";
import { ACTIVE_FILE, type Active, mutantSwitch, REACHED_FILE } from "./mutant-switch.ts";

/** What one run of a test file is to do. */
export type Plan =
  /** Run every test once and say which mutants it reaches. */
  | { readonly do: "record" }
  /** Run each named test once for each of its mutants. */
  | { readonly do: "repeat"; readonly tests: Readonly<Record<string, Planned>> }
  /** Run the whole file with one mutant switched on since its start. */
  | { readonly do: "whole"; readonly mutant: number };

export interface Planned {
  readonly mutants: readonly number[];
  readonly timeoutMs: number;
}

/** What one test takes: time that passes, and time of the processor, which a busy machine does not lengthen. */
export interface Cost {
  readonly ms: number;
  readonly cpuMs: number;
}

/** A line of what the runner reports. */
export type Report =
  | { readonly at: "started"; readonly pid: number }
  | ({ readonly at: "test"; readonly name: string; readonly reached: readonly number[] } & Cost)
  | { readonly at: "file"; readonly reached: readonly number[]; readonly failed: boolean }
  | { readonly at: "try"; readonly mutant: number; readonly name: string }
  | { readonly at: "killed"; readonly mutant: number; readonly name: string; readonly why: string }
  /** Fails without a mutant too. What was killed since it last passed is in doubt, but for the first. */
  | { readonly at: "polluted"; readonly name: string; readonly doubtful: readonly number[] }
  | { readonly at: "done" };

export const PLAN_FILE = "plan.json";
export const REPORT_FILE = "report.jsonl";
const HERE = import.meta.dirname;
export const NEVER_ENDS = "The test does not end.";
const UNCHECKED_MAX = 16;

class MutantRunner extends TestRunner {
  readonly #plan: Plan = JSON.parse(readFileSync(join(HERE, PLAN_FILE), "utf8"));
  readonly #killed = new Set<number>();
  /** Reached while the file loads or in a hook around several tests: switched on only for the whole file. */
  readonly #early = new Set<number>();
  #epoch = 0;
  #startedMs = 0;
  #startedCpuMs = 0;
  #left: number[] = [];
  #now: number | null = null;
  /** Killed since the test last passed without a mutant. */
  #unchecked: number[] = [];
  #mustCheck = false;
  #stray: string | null = null;
  #isOver = false;

  constructor(config: TestRunnerConfig) {
    super(config);
    // That a property fails is enough; nobody reads the smallest example.
    fc.configureGlobal({ endOnFailure: true });
    report({ at: "started", pid: process.pid });
    if (this.#plan.do === "record") mutantSwitch.reached = new Set();
    process.prependListener("unhandledRejection", (reason) => this.#straying(reason));
    process.prependListener("uncaughtException", (reason) => this.#straying(reason));
  }

  onCollected(files: RunnerTestFile[]): void {
    const failed = files.some(({ result }) => result?.state === "fail");
    if (failed) this.#fail(files[0]?.name ?? "", "does not load");
  }

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    await super.onBeforeRunTask(test);
    if (this.#isOver) test.mode = "skip";
    if (this.#plan.do !== "repeat" || test.mode === "skip") return;
    this.#left = (this.#plan.tests[nameOf(test)]?.mutants ?? []).filter((id) => !this.#killed.has(id));
    this.#mustCheck = false;
    if (this.#left.length === 0) test.mode = "skip";
    // More often than that: now and then it runs without a mutant, to see that the others left nothing behind.
    test.repeats = this.#left.length * 2;
  }

  override onBeforeTryTask(test: RunnerTestCase, options: { retry: number; repeats: number }): void {
    super.onBeforeTryTask(test, options);
    this.#epoch += 1;
    this.#startedMs = performance.now();
    this.#startedCpuMs = cpuMs();
    this.#stray = null;
    if (this.#plan.do === "whole") return;
    if (this.#plan.do === "record") {
      moveAll(mutantSwitch.reached ?? new Set(), this.#early);
      writeActive({ mutant: 0, epoch: this.#epoch, recording: true });
      return;
    }
    if (this.#left.length === 0 && this.#unchecked.length > 0) this.#mustCheck = true;
    this.#now = this.#mustCheck ? 0 : (this.#left.shift() ?? null);
    if (this.#now === null || this.#isOver) return;
    if (this.#now > 0) report({ at: "try", mutant: this.#now, name: nameOf(test) });
    writeActive({ mutant: this.#now, epoch: this.#epoch, recording: false });
    mutantSwitch.calls = 0;
    mutantSwitch.mutant = this.#now;
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    const run = TestRunner.getTestFn(test);
    if (this.#plan.do !== "repeat") {
      await run();
      return nextTick();
    }
    if (this.#now === null || this.#isOver) return;
    await withinMs(this.#plan.tests[nameOf(test)]?.timeoutMs ?? 0, run());
    await nextTick();
    if (this.#stray !== null) throw new Error(this.#stray);
  }

  override async onAfterRetryTask(test: RunnerTestCase, options: { retry: number; repeats: number }): Promise<void> {
    await super.onAfterRetryTask(test, options);
    const failed = test.result?.state === "fail";
    const name = nameOf(test);
    if (this.#plan.do === "record") return this.#record(name);
    if (this.#plan.do === "whole") {
      if (failed) this.#fail(name, firstError(test));
      return;
    }
    mutantSwitch.mutant = 0;
    if (this.#now === null || this.#isOver) return;
    if (this.#now === 0) {
      this.#mustCheck = false;
      if (failed) {
        report({ at: "polluted", name, doubtful: this.#unchecked.slice(1) });
        this.#isOver = true;
      }
      this.#unchecked = [];
    } else if (failed) {
      const why = firstError(test);
      this.#killed.add(this.#now);
      this.#unchecked.push(this.#now);
      this.#mustCheck = this.#unchecked.length >= UNCHECKED_MAX || this.#stray !== null || why === NEVER_ENDS;
      report({ at: "killed", mutant: this.#now, name, why });
    }
    if (test.result) Object.assign(test.result, { errors: undefined, attempts: [] });
  }

  override onAfterRunFiles(files: RunnerTestFile[]): void {
    super.onAfterRunFiles(files);
    const failed = files.some(({ result }) => result?.state === "fail");
    if (this.#plan.do === "record") {
      moveAll(mutantSwitch.reached ?? new Set(), this.#early);
      for (const { id } of takeReached()) this.#early.add(id);
      report({ at: "file", reached: [...this.#early], failed });
    }
    if (failed || this.#stray !== null) this.#fail(files[0]?.name ?? "", this.#stray ?? "a hook failed");
    report({ at: "done" });
  }

  #record(name: string): void {
    const own = new Set(mutantSwitch.reached);
    mutantSwitch.reached?.clear();
    for (const { epoch, id } of takeReached()) (epoch === this.#epoch ? own : this.#early).add(id);
    const cost = { ms: performance.now() - this.#startedMs, cpuMs: cpuMs() - this.#startedCpuMs };
    report({ at: "test", name, ...cost, reached: [...own] });
  }

  #fail(name: string, why: string): void {
    if (this.#plan.do !== "whole" || this.#isOver) return;
    this.#isOver = true;
    report({ at: "killed", mutant: this.#plan.mutant, name, why });
  }

  #straying(reason: unknown): void {
    this.#stray ??= `not caught: ${String(reason)}`;
  }
}

export default MutantRunner;

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function report(line: Report): void {
  appendFileSync(join(HERE, REPORT_FILE), `${JSON.stringify(line)}\n`);
}

function writeActive(active: Active): void {
  writeFileSync(join(HERE, ACTIVE_FILE), JSON.stringify(active));
}

/** What threads and processes reached since the last time. */
function takeReached(): readonly { readonly epoch: number; readonly id: number }[] {
  const path = join(HERE, REACHED_FILE);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  rmSync(path);
  return lines.map((line) => {
    const [epoch = 0, id = 0] = line.split(" ").map(Number);
    return { epoch, id };
  });
}

function moveAll(from: Set<number>, to: Set<number>): void {
  for (const id of from) to.add(id);
  from.clear();
}

function nameOf(test: RunnerTestCase): string {
  return test.fullTestName;
}

function firstError(test: RunnerTestCase): string {
  return (test.result?.errors?.at(-1)?.message ?? "failed").split("\n")[0]?.slice(0, 200) ?? "";
}

async function withinMs(timeoutMs: number, work: unknown): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(NEVER_ENDS)), timeoutMs);
  try {
    await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

import { availableParallelism } from "node:os";
import { relative } from "node:path";
import type { Reporter, TestModule, Vitest } from "vitest/node";
import { PROJECTS } from "../../test/projects.ts";
import { type ProjectTimes, type RunTimes, secondsOf, writeLastRun } from "./times.ts";

/** Ends a run with where its time went. That of a whole run is kept for `npm run test:times` and `npm run test:changed`. */
export class TimesReporter implements Reporter {
  #root = "";
  #startMs = 0;

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.root;
    this.#startMs = performance.now();
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const times: RunTimes = {
      date: new Date().toISOString().slice(0, 10),
      cores: availableParallelism(),
      wallS: rounded((performance.now() - this.#startMs) / 1000),
      projects: this.#projectsOf(modules),
    };
    if (isWhole(times)) writeLastRun(times);
    for (const line of summaryOf(times)) console.log(line);
  }

  #projectsOf(modules: readonly TestModule[]): Readonly<Record<string, ProjectTimes>> {
    const grouped = Map.groupBy(modules, ({ project }) => project.name);
    return Object.fromEntries([...grouped].map(([name, inProject]) => [name, this.#timesOf(inProject)]));
  }

  #timesOf(modules: readonly TestModule[]): ProjectTimes {
    const timed = modules.map((module): readonly [string, number] => {
      const { collectDuration, prepareDuration, setupDuration, duration } = module.diagnostic();
      const ms = collectDuration + prepareDuration + setupDuration + duration;
      return [relative(this.#root, module.moduleId), rounded(ms / 1000)];
    });
    const tests = modules.reduce((sum, module) => sum + [...module.children.allTests()].length, 0);
    return { tests, files: Object.fromEntries(timed.toSorted(([, a], [, b]) => b - a)) };
  }
}

function isWhole({ projects }: RunTimes): boolean {
  return PROJECTS.every(({ name, onDemand = false }) => onDemand || projects[name] !== undefined);
}

function summaryOf({ projects, wallS }: RunTimes): readonly string[] {
  const lines = PROJECTS.flatMap(({ name, budgetS }) => {
    const times = projects[name];
    if (times === undefined) return [];
    const seconds = Math.round(secondsOf(times));
    const over = seconds > budgetS ? " (over)" : "";
    return [`  ${name.padEnd(16)}${String(seconds).padStart(5)} s of ${String(budgetS).padStart(4)} s${over}`];
  });
  return [`where the time went, summed over the workers (${Math.round(wallS)} s in all):`, ...lines];
}

function rounded(seconds: number): number {
  return Math.round(seconds * 100) / 100;
}

import type { Reporter, TestModule, TestState } from "vitest/node";

export interface ClosingLineOptions {
  /** A skipped test fails the run: with everything installed there is no reason to skip. */
  readonly forbidSkip: boolean;
}

/** Ends a run with one plain line for people and scripts: `N passed, N failed, N skipped`. */
export class ClosingLineReporter implements Reporter {
  readonly #forbidSkip: boolean;

  constructor({ forbidSkip }: ClosingLineOptions) {
    this.#forbidSkip = forbidSkip;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: TestState): number => tests.filter((test) => test.result().state === state).length;
    const failed = count("failed") + modules.filter(isBroken).length + unhandledErrors.length;
    const skipped = count("skipped");
    console.log(`${count("passed")} passed, ${failed} failed, ${skipped} skipped`);
    if (this.#forbidSkip && skipped > 0) {
      console.log("NOMOS_TEST_FORBID_SKIP is set: a skipped test fails the run");
      process.exitCode = 1;
    }
  }
}

/** The whole file failed (it did not load, or a hook threw): it contains no failed test to count. */
function isBroken(module: TestModule): boolean {
  return module.state() === "failed" && [...module.children.allTests("failed")].length === 0;
}

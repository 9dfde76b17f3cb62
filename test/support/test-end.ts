import { AsyncLocalStorage } from "node:async_hooks";
import { onTestFinished, type TestContext, type TestFunction, TestRunner } from "vitest";

/** Of tests that run at the same time, Vitest's `onTestFinished` knows only the last that began. */
const running = new AsyncLocalStorage<TestContext>();

/** For `test.concurrent`: what the test starts ends with this test, and with no other. */
export function endingAlone(prove: TestFunction): TestFunction {
  return (context) => running.run(context, () => prove(context));
}

export function whenTestEnds(run: () => Promise<void> | void): void {
  const own = running.getStore();
  if (own === undefined) onTestFinished(run);
  else own.onTestFinished(run);
}

/** False in `beforeAll`: there is no test whose end could be awaited. */
export function isInTest(): boolean {
  return running.getStore() !== undefined || TestRunner.getCurrentTest() !== undefined;
}

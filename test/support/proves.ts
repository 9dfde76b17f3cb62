import { type TestFunction, test } from "vitest";
import { CHOSEN_STORE } from "./chosen-store.ts";
import { sampled } from "./sampled.ts";
import { endingAlone } from "./test-end.ts";

/** A test that proves a guarantee. Its id opens the title, so that tests and the list of guarantees can be compared. */
export function proves(id: string, title: string, prove: TestFunction, timeoutMs?: number): void {
  test(titleOf(id, title), prove, timeoutMs);
}

const atTheSameTime =
  (isSkipped: boolean) =>
  (id: string, title: string, prove: TestFunction, timeoutMs?: number): void => {
    (isSkipped ? test.skip : test.concurrent)(titleOf(id, title), endingAlone(prove), timeoutMs);
  };

/** For a test that mostly waits: it runs at the same time as its neighbours of this kind. */
proves.concurrent = Object.assign(atTheSameTime(false), { skipIf: atTheSameTime });

/** For what this machine cannot test, such as a sandbox without the operating system's support. */
proves.skipIf = (condition: boolean) => (id: string, title: string, prove: TestFunction, timeoutMs?: number) => {
  test.skipIf(condition)(titleOf(id, title), prove, timeoutMs);
};

/** For what exists only under a condition, such as the log's file: elsewhere there is no test to skip. */
proves.where = (condition: boolean) => (id: string, title: string, prove: TestFunction, timeoutMs?: number) => {
  if (condition) proves(id, title, prove, timeoutMs);
};

/** For what no store can change: a normal run proves it on SQLite only. */
const isProvedHere = sampled(true, CHOSEN_STORE === "sqlite");
proves.onOneStore = Object.assign(proves.where(isProvedHere), {
  concurrent: isProvedHere ? proves.concurrent : () => undefined,
});

const PROMISE_ID = /^[A-Z]+-?\d+$/;

function titleOf(id: string, title: string): string {
  if (!PROMISE_ID.test(id)) throw new Error(`${id} is not the id of a promise, such as K3 or LOG-12`);
  return `[${id}] ${title}`;
}

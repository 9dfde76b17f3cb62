import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { NomosError } from "../../contract/index.ts";
import { sessionStream } from "../../kernel/index.ts";
import { waitForApproval } from "./wait.ts";

type Waiting = Parameters<typeof waitForApproval>[0];

/** An approval that is answered when `answer` is called. */
function setUp() {
  const listeners = new Set<(events: readonly { stream: string }[]) => void>();
  let status = "pending";
  const stop = new AbortController();
  const store = {
    row: async () => ({ status }),
    onAppend: (listener: (events: readonly { stream: string }[]) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const services = { store: store as unknown as Waiting["services"]["store"] };
  const context = { services, signal: stop.signal, progress: () => undefined } as unknown as Waiting;
  const append = (stream: string) => listeners.forEach((listener) => void listener([{ stream }]));
  const answer = () => {
    status = "allowed";
    append(sessionStream("one"));
  };
  return { context, listeners, stop, append, answer };
}

const MINUTES_10 = 600_000;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("a wait ends with its answer, and leaves no timer and no listener", async () => {
  const { context, listeners, append, answer } = setUp();
  const waiting = waitForApproval(context, "one", "a", MINUTES_10);
  expect([vi.getTimerCount(), listeners.size]).toEqual([1, 1]);
  append(sessionStream("other"));
  answer();
  expect(await waiting).toEqual({ status: "allowed" });
  expect([vi.getTimerCount(), listeners.size]).toEqual([0, 0]);
});

test.each([
  ["its time is over", () => vi.advanceTimersByTimeAsync(MINUTES_10)],
  ["the caller has gone", async (stop: AbortController) => stop.abort()],
])("a wait is refused when %s, and leaves nothing behind", async (_why, end) => {
  const { context, listeners, stop } = setUp();
  const refused = waitForApproval(context, "one", "a", MINUTES_10).catch((thrown: NomosError) => thrown.code);
  await end(stop);
  expect(await refused).toBe("wait_timeout");
  expect([vi.getTimerCount(), listeners.size]).toEqual([0, 0]);
});

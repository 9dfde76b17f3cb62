import { expect, test } from "vitest";
import { systemClock } from "../host/index.ts";
import { createBackoff } from "./backoff.ts";

test("an item checked just before its wait ends is still retried", () => {
  let nowMs = 0;
  const backoff = createBackoff({ ...systemClock(), steadyMs: () => nowMs }, () => 0);
  backoff.failed("a", new Error("broken"));
  expect(backoff.nextInMs()).toBe(1000);
  nowMs = 999.5;
  expect(backoff.isWaiting("a")).toBe(true);
  nowMs = 1000.5;
  expect(backoff.nextInMs()).toBe(1);
  expect(backoff.nextInMs()).toBe(null);
  expect(backoff.isWaiting("a")).toBe(false);
  expect(backoff.nextInMs()).toBe(null);
});

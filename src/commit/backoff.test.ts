import { expect, test } from "vitest";
import { NomosError } from "../contract/index.ts";
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

test("each failure doubles the wait up to a minute, less a random part; success starts anew", () => {
  let nowMs = 0;
  let part = 0;
  const clock = { ...systemClock(), steadyMs: () => nowMs, nowMs: () => nowMs };
  const backoff = createBackoff(clock, () => part);
  const waits = Array.from({ length: 8 }, () => {
    const { nextTryAt } = backoff.failed("a", new Error("broken"));
    return Date.parse(nextTryAt) - nowMs;
  });
  expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  nowMs = 500;
  expect(backoff.failed("b", new NomosError("disk_low", { reason: "full" }))).toMatchObject({
    code: "disk_low",
    message: expect.stringMatching(/ full$/),
    since: new Date(500).toISOString(),
    tries: 1,
  });
  expect(backoff.nextInMs()).toBe(1000);
  nowMs = 1500;
  expect([backoff.isWaiting("a"), backoff.isWaiting("b"), backoff.isWaiting("unknown")]).toEqual([true, false, false]);
  expect(backoff.trouble("a")).toMatchObject({ tries: 8, since: new Date(0).toISOString() });
  expect(backoff.all().map(({ id, tries }) => [id, tries])).toEqual([
    ["a", 8],
    ["b", 1],
  ]);
  expect(Object.keys(backoff.all()[0] ?? {}).toSorted()).toEqual([
    ...["code", "id", "message", "nextTryAt", "remedy", "since", "tries"],
  ]);
  backoff.keepOnly(new Set(["b"]));
  expect([backoff.trouble("a"), backoff.isWaiting("a")]).toEqual([null, false]);
  backoff.worked("b");
  expect(backoff.all()).toEqual([]);
  part = 1;
  expect(Date.parse(backoff.failed("a", new Error("broken")).nextTryAt) - nowMs).toBe(750);
});

test("ten thousand failures are remembered; then no more are tried", () => {
  const backoff = createBackoff(systemClock(), () => 0);
  for (let n = 0; n < 9999; n += 1) backoff.failed(`${n}`, new NomosError("disk_low"));
  expect(backoff.isFull()).toBe(false);
  backoff.failed("last", new NomosError("disk_low"));
  expect(backoff.isFull()).toBe(true);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { type ActivitySums, createActivitySums } from "./activity-sums.ts";

const HOUR = 3_600_000;
const RANGE = { sinceMs: 10 * HOUR, untilMs: 20 * HOUR, stepMs: HOUR };
const ANN = { agent: "ann", workspace: "here", model: null };
const spent = (input: number, costMicroUsd: number | null) => ({
  ...{ input, output: 1, cacheRead: 0, cacheWrite: 0 },
  costMicroUsd,
});

test("turns and what was told of them are summed by step and origin", () => {
  const sums = createActivitySums(RANGE);
  sums.ended(12 * HOUR + 5, ANN);
  sums.ended(12 * HOUR + 9, ANN);
  sums.told(12 * HOUR + 9, ANN, spent(5, null));
  sums.told(12 * HOUR + 9, ANN, spent(7, 250_000));
  sums.ended(11 * HOUR, { ...ANN, agent: "bob" });
  expect(sums.parts()).toEqual([
    { ...ANN, agent: "bob", atMs: 11 * HOUR, turns: 1, spent: null },
    { ...ANN, atMs: 12 * HOUR, turns: 2, spent: { ...spent(12, 250_000), output: 2 } },
  ]);
});

test("a turn counts in each step that it worked in, cut to the range", () => {
  const sums = createActivitySums(RANGE);
  sums.worked(9 * HOUR, 10.5 * HOUR);
  sums.worked(10.75 * HOUR, 12.25 * HOUR);
  sums.worked(19.5 * HOUR, 30 * HOUR);
  sums.worked(30 * HOUR, 31 * HOUR);
  expect(sums.working().map(({ atMs, busyMs }) => [atMs / HOUR, busyMs / HOUR])).toEqual([
    [10, 0.75],
    [11, 1],
    [12, 0.25],
    [19, 0.5],
  ]);
});

test("whatever the turns are, no time is lost, doubled or outside of the range", () => {
  const time = fc.integer({ min: 0, max: 30 * HOUR });
  const within = (ms: number): number => Math.min(RANGE.untilMs, Math.max(RANGE.sinceMs, ms));
  fc.assert(
    fc.property(fc.array(fc.tuple(time, time)), (turns) => {
      const sums: ActivitySums = createActivitySums(RANGE);
      let whole = 0;
      for (const [from, to] of turns) {
        sums.worked(from, to);
        whole += Math.max(0, within(to) - within(from));
      }
      expect(sums.working().reduce((sum, { busyMs }) => sum + busyMs, 0)).toBe(whole);
    }),
  );
});

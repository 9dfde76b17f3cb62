import fc from "fast-check";
import { expect, test } from "vitest";
import { ModelError, type ModelErrorClass } from "../model.ts";
import { retryVerdict, TRIES_MAX } from "./retry.ts";

const FINAL = ["auth", "billing", "refused", "overflow", "invalid", "model_unknown"] as const;
const PASSING = ["rate_limit", "overloaded", "timeout", "unreachable", "malformed"] as const;
const top = { random: () => 0.999999 };

test.each(FINAL)("%s is never tried again", (errorClass) => {
  expect(retryVerdict(new ModelError(errorClass, "x", { retryAfterMs: 5 }), 1, top)).toEqual({ kind: "give_up" });
});

test("delays grow from one second to thirty, with full jitter, for five tries", () => {
  const error = new ModelError("overloaded", "x");
  const delays = (random: () => number) => [1, 2, 3, 4, 5].map((attempt) => waitOf(error, attempt, random));
  expect(delays(() => 0.999999)).toEqual([999, 1999, 3999, 7999, null]);
  expect(delays(() => 0)).toEqual([0, 0, 0, 0, null]);
});

test("a rate limit of more than a minute parks, a shorter one is obeyed", () => {
  const limited = (retryAfterMs: number) => new ModelError("rate_limit", "x", { retryAfterMs });
  expect(retryVerdict(limited(60_001), 1, top)).toEqual({ kind: "park", parkMs: 60_001 });
  expect(retryVerdict(limited(60_001), TRIES_MAX, top)).toEqual({ kind: "park", parkMs: 60_001 });
  expect(waitOf(limited(59_000), 1)).toBe(59_000);
  expect(waitOf(new ModelError("overloaded", "x", { retryAfterMs: 3_600_000 }), 1)).toBe(60_000);
});

test("a delay is never negative, never above a minute, and never shorter than asked", () => {
  const classes = fc.constantFrom<ModelErrorClass>(...FINAL, ...PASSING);
  const asked = fc.option(fc.integer({ min: 0, max: 10 ** 9 }), { nil: null });
  fc.assert(
    fc.property(
      classes,
      asked,
      fc.integer({ min: 1, max: 20 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (one, ms, attempt, chance) => {
        const verdict = retryVerdict(new ModelError(one, "x", { retryAfterMs: ms }), attempt, { random: () => chance });
        if (verdict.kind === "retry") {
          expect(attempt).toBeLessThan(TRIES_MAX);
          expect(verdict.delayMs).toBeGreaterThanOrEqual(Math.min(ms ?? 0, 60_000));
          expect(verdict.delayMs).toBeLessThanOrEqual(60_000);
        } else if (verdict.kind === "park") {
          expect([one, verdict.parkMs]).toEqual(["rate_limit", ms]);
        }
      },
    ),
  );
});

function waitOf(error: ModelError, attempt: number, random = top.random): number | null {
  const verdict = retryVerdict(error, attempt, { random });
  return verdict.kind === "retry" ? verdict.delayMs : null;
}

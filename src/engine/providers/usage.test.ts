import fc from "fast-check";
import { expect, test } from "vitest";
import { costMicroUsd, NO_USAGE, usageOf } from "./usage.ts";

const PRICE = { input: 3_000_000, output: 15_000_000, cacheRead: 300_000, cacheWrite: 3_750_000 };

test("the cost is in whole micro-dollars, halves rounded up", () => {
  expect(costMicroUsd(PRICE, { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0 })).toBe(3_000_000);
  expect(costMicroUsd(PRICE, { input: 10, output: 20, cacheRead: 1000, cacheWrite: 100 })).toBe(30 + 300 + 300 + 375);
  const half = { input: 1, output: 0, cacheRead: 0, cacheWrite: 0 };
  expect(costMicroUsd({ ...PRICE, input: 500_000 }, half)).toBe(1);
  expect(costMicroUsd({ ...PRICE, input: 499_999 }, half)).toBe(0);
  expect(costMicroUsd(PRICE, NO_USAGE)).toBe(0);
});

test("the cost is exact where a float is not", () => {
  const tokens = fc.bigInt({ min: 0n, max: 10n ** 10n });
  fc.assert(
    fc.property(tokens, tokens, fc.bigInt({ min: 0n, max: 10n ** 9n }), (input, output, price) => {
      const prices = { input: Number(price), output: Number(price), cacheRead: 0, cacheWrite: 0 };
      const usage = { input: Number(input), output: Number(output), cacheRead: 0, cacheWrite: 0 };
      expect(costMicroUsd(prices, usage)).toBe(Number(((input + output) * price * 2n + 1_000_000n) / 2_000_000n));
    }),
  );
});

test("usage without a part without cached tokens is derived, and nonsense counts as zero", () => {
  const output = { total: 5, text: undefined, reasoning: undefined };
  const input = { total: 100, noCache: undefined, cacheRead: 30, cacheWrite: 20 };
  expect(usageOf({ inputTokens: input, outputTokens: output })).toEqual({
    input: 50,
    output: 5,
    cacheRead: 30,
    cacheWrite: 20,
  });
  const bad = { total: Number.NaN, noCache: -5, cacheRead: Number.POSITIVE_INFINITY, cacheWrite: 1.6 };
  expect(usageOf({ inputTokens: bad, outputTokens: output })).toEqual({
    input: 0,
    output: 5,
    cacheRead: 0,
    cacheWrite: 2,
  });
  expect(usageOf(undefined)).toEqual(NO_USAGE);
});

import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Price, Usage } from "../model.ts";

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** Providers count cached tokens differently; the packages normalise most of it, and some endpoints report nothing. */
export function usageOf(reported: LanguageModelV4Usage | undefined): Usage {
  if (reported === undefined) return NO_USAGE;
  const { inputTokens, outputTokens } = reported;
  const cacheRead = count(inputTokens.cacheRead);
  const cacheWrite = count(inputTokens.cacheWrite);
  const input = inputTokens.noCache ?? count(inputTokens.total) - cacheRead - cacheWrite;
  return { input: count(input), output: count(outputTokens.total), cacheRead, cacheWrite };
}

/** Whole micro-dollars, halves rounded up. BigInt, because price times tokens can exceed 2^53. */
export function costMicroUsd(price: Price, usage: Usage): number {
  const sum =
    times(price.input, usage.input) +
    times(price.output, usage.output) +
    times(price.cacheRead, usage.cacheRead) +
    times(price.cacheWrite, usage.cacheWrite);
  return Number((sum + TOKENS_PER_PRICE / 2n) / TOKENS_PER_PRICE);
}

const TOKENS_PER_PRICE = 1_000_000n;

function times(microUsdPerMillion: number, tokens: number): bigint {
  return BigInt(Math.round(microUsdPerMillion)) * BigInt(count(tokens));
}

/** An endpoint may report a negative or fractional count; a bill must not follow it. */
function count(tokens: number | null | undefined): number {
  return tokens === null || tokens === undefined || !Number.isFinite(tokens) ? 0 : Math.max(0, Math.round(tokens));
}

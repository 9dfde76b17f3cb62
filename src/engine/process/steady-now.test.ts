import { afterEach, expect, vi } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { createBreaker } from "../providers/index.ts";
import { steadyNowMs } from "./steady-now.ts";

const YEAR_MS = 365 * 24 * 3_600_000;

afterEach(() => vi.useRealTimers());

proves("MOD-1", "the wall clock is set back a year while a provider is held back: its time does not grow", () => {
  const limits = { failuresMax: 1, openMs: 1000, openMsMax: 1000 };
  const breaker = createBreaker({ nowMs: steadyNowMs }, limits);
  const gate = breaker.gate();
  if (gate.open) gate.pass.failed("unreachable");
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - YEAR_MS });
  const held = breaker.gate();
  expect(held.open ? 0 : held.retryAtMs - steadyNowMs()).toBeGreaterThan(0);
  expect(held.open ? 0 : held.retryAtMs - steadyNowMs()).toBeLessThanOrEqual(1000);
  expect(steadyNowMs() - Date.now()).toBeGreaterThan(YEAR_MS / 2);
});

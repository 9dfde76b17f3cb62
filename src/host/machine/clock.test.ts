import { afterEach, expect, test, vi } from "vitest";
import { systemClock } from "./clock.ts";

afterEach(() => {
  vi.useRealTimers();
});

test("the clock gives milliseconds and ISO time", () => {
  const clock = systemClock();
  expect(Math.abs(clock.nowMs() - Date.now())).toBeLessThan(1_000);
  expect(clock.iso(0)).toBe("1970-01-01T00:00:00.000Z");
});

test("a sleep ends after its time, or rejects with the reason of the abort", async () => {
  const clock = systemClock();
  await clock.sleep(1);
  await expect(clock.sleep(1, AbortSignal.abort("before"))).rejects.toBe("before");
  const controller = new AbortController();
  const sleeping = clock.sleep(3_600_000, controller.signal);
  controller.abort("during");
  await expect(sleeping).rejects.toBe("during");
});

test("a timer can be cancelled", async () => {
  const clock = systemClock();
  const run = vi.fn();
  clock.after(1, run)();
  await clock.sleep(10);
  expect(run).not.toHaveBeenCalled();
});

test("a timer longer than Node's longest does not fire at once", () => {
  vi.useFakeTimers();
  const dayMs = 24 * 3_600_000;
  const run = vi.fn();
  systemClock().after(100 * dayMs, run);
  vi.advanceTimersByTime(99 * dayMs);
  expect(run).not.toHaveBeenCalled();
  vi.advanceTimersByTime(dayMs);
  expect(run).toHaveBeenCalledTimes(1);
});

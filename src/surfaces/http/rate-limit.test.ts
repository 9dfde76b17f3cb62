import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { createRateLimit } from "./rate-limit.ts";

proves("TK-7", "a clock set back by years locks no caller out, and gives none more requests", () => {
  let nowMs = 1_800_000_000_000;
  const limit = createRateLimit({ perSecond: 10, burst: 3, nowMs: () => nowMs });
  expect([limit.take("a"), limit.take("a"), limit.take("a")]).toEqual([0, 0, 0]);
  nowMs -= 365 * 86_400_000;
  expect(limit.take("a")).toBe(1);
  expect(limit.take("b")).toBe(0);
  nowMs += 1000;
  expect(limit.take("a")).toBe(0);
});

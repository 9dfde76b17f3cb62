import { expect, test } from "vitest";
import { createPasses } from "./passes.ts";

const actor = { principal: "operator", capabilities: ["*"], sessionId: null };

function passesAt(clock: { nowMs: number }) {
  return createPasses({
    nowMs: () => clock.nowMs,
    steadyMs: () => clock.nowMs,
    iso: (ms) => new Date(ms).toISOString(),
  });
}

test("a pass opens one WebSocket, once", () => {
  const passes = passesAt({ nowMs: 0 });
  const { ticket } = passes.issue(actor);
  expect(passes.redeem(ticket)).toBe(actor);
  expect(passes.redeem(ticket)).toBeNull();
});

test("a pass is valid for 30 seconds", () => {
  const clock = { nowMs: 0 };
  const passes = passesAt(clock);
  const early = passes.issue(actor);
  const late = passes.issue(actor);
  clock.nowMs = 29_999;
  expect(passes.redeem(early.ticket)).toBe(actor);
  clock.nowMs = 30_000;
  expect(passes.redeem(late.ticket)).toBeNull();
});

test("an unknown pass is refused", () => {
  expect(passesAt({ nowMs: 0 }).redeem("0".repeat(48))).toBeNull();
});

test("the number of passes is limited, and old ones make room", () => {
  const clock = { nowMs: 0 };
  const passes = passesAt(clock);
  for (let count = 0; count < 1000; count += 1) passes.issue(actor);
  expect(() => passes.issue(actor)).toThrow(expect.objectContaining({ code: "overloaded" }));
  clock.nowMs = 30_000;
  expect(passes.issue(actor).ticket).toHaveLength(48);
});

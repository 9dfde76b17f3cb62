import { expect, test } from "vitest";
import { createTickets } from "./passes.ts";

const actor = { principal: "operator", capabilities: ["*"], sessionId: null };

function ticketsAt(clock: { nowMs: number }) {
  return createTickets({
    nowMs: () => clock.nowMs,
    steadyMs: () => clock.nowMs,
    iso: (ms) => new Date(ms).toISOString(),
  });
}

test("a ticket is good once", () => {
  const tickets = ticketsAt({ nowMs: 0 });
  const { ticket } = tickets.issue(actor);
  expect(tickets.redeem(ticket)).toBe(actor);
  expect(tickets.redeem(ticket)).toBeNull();
});

test("a ticket is good for 30 seconds", () => {
  const clock = { nowMs: 0 };
  const tickets = ticketsAt(clock);
  const early = tickets.issue(actor);
  const late = tickets.issue(actor);
  clock.nowMs = 29_999;
  expect(tickets.redeem(early.ticket)).toBe(actor);
  clock.nowMs = 30_000;
  expect(tickets.redeem(late.ticket)).toBeNull();
});

test("an unknown ticket is good for nothing", () => {
  expect(ticketsAt({ nowMs: 0 }).redeem("0".repeat(48))).toBeNull();
});

test("there are only so many at a time, and old ones make room", () => {
  const clock = { nowMs: 0 };
  const tickets = ticketsAt(clock);
  for (let count = 0; count < 1000; count += 1) tickets.issue(actor);
  expect(() => tickets.issue(actor)).toThrow(expect.objectContaining({ code: "overloaded" }));
  clock.nowMs = 30_000;
  expect(tickets.issue(actor).ticket).toHaveLength(48);
});

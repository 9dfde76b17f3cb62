import { afterEach, describe, expect, test, vi } from "vitest";
import { type Part, totalOf, totalsBy, totalsOver, turnsByHour, workingOver } from "./sums.ts";

const HOUR = 3_600_000;

afterEach(() => vi.unstubAllEnvs());

const spent = (input: number, costUsd: number | null) => ({ input, output: 1, cacheRead: 1, cacheWrite: 1, costUsd });
const part = (at: string, more: Partial<Part> = {}): Part => ({
  ...{ at, agent: "ann", workspace: "here", model: null, turns: 1 },
  ...more,
});

describe("what was not told", () => {
  test("is no zero: neither tokens nor cost", () => {
    expect(totalOf([part("2026-05-01T10:00:00Z")])).toEqual({ turns: 1, tokens: null, costUsd: null });
    expect(totalOf([part("2026-05-01T10:00:00Z", { spent: spent(7, null) })])).toMatchObject({
      tokens: 10,
      costUsd: null,
    });
  });

  test("does not hide what another agent told", () => {
    const parts = [
      part("2026-05-01T10:00:00Z"),
      part("2026-05-01T10:00:00Z", { agent: "bob", spent: spent(7, 0.5) }),
      part("2026-05-01T11:00:00Z", { agent: "bob", spent: spent(7, 0.25) }),
    ];
    expect(totalsBy(parts, "agent")).toEqual([
      { name: "bob", value: { turns: 2, tokens: 20, costUsd: 0.75 } },
      { name: "ann", value: { turns: 1, tokens: null, costUsd: null } },
    ]);
    expect(totalsBy(parts, "model").map(({ name }) => name)).toEqual([""]);
  });
});

describe("time zones", () => {
  const range = { sinceMs: Date.parse("2026-05-01T20:00:00Z"), untilMs: Date.parse("2026-05-03T20:00:00Z") };

  test.each([
    ["UTC", "05-01", 23],
    ["Asia/Kolkata", "05-02", 4],
    ["America/New_York", "05-01", 19],
  ])("%s: a turn counts on the day and in the hour of the clock there", (zone, day, hour) => {
    vi.stubEnv("TZ", zone);
    const parts = [part("2026-05-01T23:00:00Z", { turns: 3 })];
    const days = totalsOver(parts, range, "day");
    expect(days.find(({ value }) => value.turns > 0)).toMatchObject({ name: day, value: { turns: 3 } });
    expect(turnsByHour(parts, range).find(({ name }) => name === day)?.hours[hour]).toBe(3);
  });

  test("every hour and day of a range is there once, also where the clock is changed", () => {
    vi.stubEnv("TZ", "Europe/Berlin");
    const change = { sinceMs: Date.parse("2026-03-27T23:00:00Z"), untilMs: Date.parse("2026-03-30T22:00:00Z") };
    expect(totalsOver([], change, "day").map(({ name }) => name)).toEqual(["03-28", "03-29", "03-30"]);
    expect(totalsOver([], change, "hour")).toHaveLength(71);
  });
});

test("sessions that worked at once: the time of all turns, divided by the time that passed", () => {
  vi.stubEnv("TZ", "UTC");
  const sinceMs = Date.parse("2026-05-01T10:30:00Z");
  const worked = [
    { at: "2026-05-01T10:00:00.000Z", busyMs: HOUR },
    { at: "2026-05-01T11:00:00.000Z", busyMs: HOUR / 2 },
    { at: "2026-05-02T11:00:00.000Z", busyMs: HOUR },
  ];
  expect(workingOver(worked, { sinceMs, untilMs: sinceMs + 1.75 * HOUR }, HOUR)).toEqual([
    { name: "05-01 10:30", value: 2 },
    { name: "05-01 11:00", value: 0.5 },
    { name: "05-01 12:00", value: 0 },
  ]);
});

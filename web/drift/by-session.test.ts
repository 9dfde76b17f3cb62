import { expect, test } from "vitest";
import { bySession } from "./by-session.ts";

const FIGURES = { scope: 0, budget: 0, boundary: 0, lines: 0, files: 1, agent: "demo", at: "2026-01-01T00:00:00.000Z" };
const sample = (sessionId: string, score: number) => ({ ...FIGURES, sessionId, ticket: `T-${sessionId}`, score });
const WORK = {
  ...{ title: "", repo: "r", role: "work" as const, agent: "demo", state: "active" as const, lost: false },
  ...{ settled: true, startedAt: "", changedAt: "" },
};

test("sessions at work come first, then the furthest; scores run from the oldest to the newest", () => {
  const samples = [sample("a", 0.2), sample("b", 0.9), sample("a", 0.1), sample("c", 0.3)];
  const works = [
    { ...WORK, sessionId: "a", ticket: "T-a" },
    { ...WORK, sessionId: "d", ticket: "T-d" },
    { ...WORK, sessionId: "e", ticket: "T-e", role: "audit" as const },
  ];
  const found = bySession(samples, works).map(({ sessionId, isOpen, scores }) => [sessionId, isOpen, scores]);
  expect(found).toEqual([
    ["a", true, [0.1, 0.2]],
    ["d", true, []],
    ["b", false, [0.9]],
    ["c", false, [0.3]],
  ]);
});

import { expect, test } from "vitest";
import { boardLanes } from "./board-lanes.ts";
import type { Ticket } from "./ticket.ts";

const TICKET: Ticket = {
  ...{ id: "TKT-1", kind: "task", title: "t", status: "todo", type: "bug", priority: 3, labels: [], blockers: [] },
  ...{ scope: { allow: [], deny: [] }, fileBudget: { files: 1, lines: 1 }, risk: "low", resourceProfile: "default" },
  waits: null,
};
const LANES = [
  { name: "Bugs", types: ["bug"], active: 1, count: 2 },
  { name: "Rest", types: ["*"], active: 0, count: 1 },
];
const waits = (id: string, score: number) => ({ id, title: "t", score });

test("tickets stand in their lane by status, the best first; intents and unknown lanes come last", () => {
  const tickets: readonly Ticket[] = [
    { ...TICKET, id: "TKT-1", waits: waits("TKT-1", 100) },
    { ...TICKET, id: "TKT-2", waits: waits("TKT-2", 300) },
    { ...TICKET, id: "TKT-3", status: "active" },
    { ...TICKET, id: "TKT-4", type: "docs" },
    { ...TICKET, id: "TKT-5", lane: "Old" },
    { ...TICKET, id: "INT-1", kind: "intent" },
  ];
  const told = boardLanes(tickets, LANES).map(({ lane, columns }) => [
    lane?.name ?? null,
    columns.map((one) => [one.status, one.tickets.map(({ id }) => id)]),
  ]);
  expect(told).toEqual([
    [
      "Bugs",
      [
        ["todo", ["TKT-2", "TKT-1"]],
        ["active", ["TKT-3"]],
      ],
    ],
    ["Rest", [["todo", ["TKT-4"]]]],
    ["Old", [["todo", ["TKT-5"]]]],
    [null, [["todo", ["INT-1"]]]],
  ]);
});

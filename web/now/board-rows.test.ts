import { expect, test } from "vitest";
import type { Row } from "../live/index.ts";
import { countsOf, linesOf } from "./board-rows.ts";

const ALL = new Set(["needs you", "working", "idle", "asleep", "ended"] as const);

function row(id: string, given: Partial<Row> = {}): Row {
  return {
    id,
    name: `name-${id}`,
    adapterSlug: "demo",
    agent: "demo",
    workspaceSlug: "default",
    ground: "",
    cwd: "/work",
    status: "running",
    state: "idle",
    busy: false,
    queued: 0,
    sandbox: "off",
    head: null,
    depth: 0,
    startedAt: `2026-11-16T00:00:0${id}Z`,
    ...given,
  };
}

const ROWS = [
  row("1"),
  row("2", { busy: true, state: "busy" }),
  row("3", { busy: true, state: "busy", waitingFor: "approval" }),
  row("4", { state: "hibernated", agent: "claude" }),
  row("5", { state: "killed", endedAt: "2026-11-16T00:00:09Z" }),
  row("6", { title: "Tidy the docs" }),
];

test("who needs me comes first, then working, idle, asleep, ended; the newest of a group first", () => {
  const lines = linesOf(ROWS, { filter: "", standings: ALL, by: "standing" });
  expect(lines.map((line) => (line.is === "heading" ? `${line.name} ${line.count}` : line.id))).toEqual([
    ...["needs you 1", "3", "working 1", "2", "idle 2", "6", "1", "asleep 1", "4", "ended 1", "5"],
  ]);
});

test("a filter needs every word; groups by agent are in the order of their names", () => {
  const lines = linesOf(ROWS, { filter: "TIDY docs", standings: ALL, by: "agent" });
  expect(lines).toEqual([
    { is: "heading", name: "demo", count: 1 },
    { is: "session", id: "6" },
  ]);
  const byAgent = linesOf(ROWS, { filter: "", standings: ALL, by: "agent" });
  expect(byAgent.filter(({ is }) => is === "heading").map((line) => line.is === "heading" && line.name)).toEqual([
    "claude",
    "demo",
  ]);
});

test("the counts have every standing, also those without a session", () => {
  expect([...countsOf([row("1")])]).toEqual([
    ["needs you", 0],
    ["working", 0],
    ["waiting", 0],
    ["idle", 1],
    ["asleep", 0],
    ["ended", 0],
  ]);
});

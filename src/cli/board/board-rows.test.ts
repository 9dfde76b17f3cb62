import { expect, test } from "vitest";
import { plainText } from "../../../test/support/fake-terminal.ts";
import type { Session } from "../../client/index.ts";
import { type BoardRow, groupOf, matching, ordered } from "./board-rows.ts";
import { rowLines } from "./row-lines.ts";

const SESSION: Session = {
  ...{ id: "1", adapterSlug: "demo", workspaceSlug: "default", ground: "", cwd: "/w/app", status: "running", depth: 0 },
  ...{ startedAt: "2026-01-01T00:00:00.000Z", name: "calm-oak-01", agent: "claude", state: "idle", busy: false },
  ...{ queued: 0, sandbox: "strict", head: null, title: "Fix the login" },
};
const QUESTION = { id: "q", question: "May I?", options: ["once"], action: null, detail: {} };

function row(members: Partial<Session>, more: Partial<BoardRow> = {}): BoardRow {
  return { session: { ...SESSION, ...members }, questions: [], doing: "", ...more };
}

test("sessions that need a person come first, then working, idle, asleep and ended; new ones before old ones", () => {
  const rows = [
    row({ id: "ended", state: "killed", endedAt: "2026-01-02" }),
    row({ id: "asleep", state: "hibernated" }),
    row({ id: "idle-old" }),
    row({ id: "idle-new", startedAt: "2026-02-01T00:00:00.000Z" }),
    row({ id: "working", state: "busy", busy: true }),
    row({ id: "asking", state: "busy", busy: true }, { questions: [QUESTION] }),
    row({ id: "lost", state: "busy", busy: true, startedAt: "2025-01-01" }, { need: "lost the lease of TKT-1" }),
    row({ id: "quota", state: "busy", busy: true, waitingFor: "quota" }),
  ];
  const ids = ordered(rows).map(({ session }) => session.id);
  expect(ids).toEqual(["asking", "quota", "lost", "working", "idle-new", "idle-old", "asleep", "ended"]);
  expect(ordered(rows).map(groupOf)).toContain("needs you");
});

test("every word of a filter must be somewhere in the row", () => {
  const rows = [row({ id: "a", title: "Fix login" }), row({ id: "b", agent: "codex", title: "Fix logout" })];
  const found = (filter: string) => matching(rows, filter).map(({ session }) => session.id);
  expect(found("fix")).toEqual(["a", "b"]);
  expect(found("FIX codex")).toEqual(["b"]);
  expect(found("fix gemini")).toEqual([]);
});

test("a row fits its window at every width; a dash stands where the agent reports nothing", () => {
  const spent = { input: 12_000, output: 345, cacheRead: 0, cacheWrite: 0, costUsd: 0.1234 };
  const rows = [
    row({ title: "漢字 and 😀 ".repeat(40) }, { doing: "npm test\u001b[2J" }),
    row({ spent }, { questions: [QUESTION] }),
  ];
  for (const columns of [20, 40, 60, 80, 110, 140, 300])
    for (const line of rowLines(rows, 0, columns)) expect(plainText(line).length).toBeLessThanOrEqual(columns);
  const [first = "", second = ""] = rowLines(rows, 0, 140).map(plainText);
  expect(first).toMatch(/strict +- +- /);
  expect(first).toContain("npm test␛[2J");
  expect(second).toMatch(/Fix the login +May I\? +\/w\/app +strict +12\.3k +\$0\.12/);
});

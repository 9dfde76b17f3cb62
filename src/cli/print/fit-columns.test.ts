import { expect, test } from "vitest";
import { fakeTerminal, plainText } from "../../../test/support/fake-terminal.ts";
import { outputLines } from "./print-output.ts";
import { widthOf } from "./screen-text.ts";

const SESSIONS = [
  {
    name: "calm-otter-3f",
    state: "busy",
    waitingFor: "approval",
    agent: "claude",
    title: "Mend the flaky test of the snapshot store",
    sandbox: "strict",
    queued: 0,
    startedAt: "2020-01-01T00:00:00Z",
    spent: { input: 120_000, output: 3_400, costUsd: 0.5 },
    cwd: "/home/ann/work/a-rather-long-folder/nomos",
  },
  {
    name: "brave-island-07",
    state: "idle",
    agent: "demo",
    sandbox: "off",
    queued: 2,
    startedAt: "2020-01-01T00:00:00Z",
    cwd: "/srv/work",
  },
];

function linesAt(columns: number, sessions: readonly object[] = SESSIONS): readonly string[] {
  return outputLines(fakeTerminal({ columns }).terminal, { sessions, next: null }).map(plainText);
}

test.each([200, 140, 120, 100, 80, 60, 50, 40])("at %i columns no line is wider and no name is cut", (columns) => {
  const lines = linesAt(columns);
  expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(columns);
  expect(lines).toHaveLength(3);
  for (const { name, agent } of SESSIONS) {
    expect(lines.join("\n")).toContain(name);
    if (columns >= 40) expect(lines.join("\n")).toContain(agent);
  }
  const words = new Set(SESSIONS.flatMap((session) => JSON.stringify(session).split(/[^\w.-]+/)));
  for (const word of lines
    .slice(1)
    .join(" ")
    .split(/[ /…()]+/))
    expect(words.has(word) || /^(\$0\.500|120k|3k|\d+|d|ago)?$/.test(word) ? "" : word).toBe("");
});

test("a screen narrower than the columns that stay: a row goes on in the next line", () => {
  expect(linesAt(20)).toEqual(["NAME  STATE", "calm-otter-3f", "  busy (approval)", "brave-island-07", "  idle"]);
});

test("columns without a value are left out", () => {
  const [head = ""] = linesAt(200, SESSIONS.slice(1));
  expect(head.split(/ +/)).toEqual(["NAME", "STATE", "AGENT", "SANDBOX", "QUEUED", "STARTED", "CWD"]);
  expect(linesAt(200)[0]?.split(/ +/)).toContain("COST");
});

test("in a pipe nothing is shortened", () => {
  const { terminal } = fakeTerminal({ columns: 20, isScreen: false });
  const [, row = ""] = outputLines(terminal, { sessions: SESSIONS, next: null }).map(plainText);
  expect(row).toContain("/home/ann/work/a-rather-long-folder/nomos");
  expect(row).toContain("Mend the flaky test of the snapshot store");
});

test("tools are a table, with what is missing below it", () => {
  const tools = [{ name: "mcp__files__read", description: "Reads a file.", kind: "mcp", input: { type: "object" } }];
  const lines = outputLines(fakeTerminal({ columns: 80 }).terminal, { tools, problems: ["web: it\nfell over"] });
  expect(lines.map(plainText)).toEqual([
    "NAME              KIND  DESCRIPTION",
    "mcp__files__read  mcp   Reads a file.",
    "problem: web: it ⏎ fell over",
  ]);
});

test("MCP servers fit into 80 columns, with their problem", () => {
  const server = {
    transport: "stdio",
    target: "npx -y [hidden]",
    sessions: 20,
    processes: 1,
    shared: true,
    secrets: [],
  };
  const servers = [
    { ...server, name: "files", state: "connected", tools: 12, login: null, agents: null, problem: null },
    { ...server, name: "mail", state: "failed", tools: null, login: null, problem: "mail: it ended with exit code 3" },
  ];
  const lines = outputLines(fakeTerminal({ columns: 80 }).terminal, { servers }).map(plainText);
  expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(80);
  expect(lines[2]).toMatch(/^mail +failed .*it ended with/);
});

import { describe, expect, test } from "vitest";
import type { AnyTool } from "../../tool.ts";
import { parseInput, TOOLS, toolSpecs } from "../index.ts";

describe("tool specs", () => {
  test("the same bytes every time, in the order of the list, every object closed", () => {
    expect(JSON.stringify(toolSpecs(TOOLS))).toBe(JSON.stringify(toolSpecs(TOOLS)));
    expect(toolSpecs(TOOLS).map(({ name }) => name)).toEqual([
      ...["read", "write", "edit", "ls", "glob", "grep", "terminal", "process", "git", "todo", "ask_user", "artifact"],
    ]);
    for (const { input } of toolSpecs(TOOLS)) {
      const text = JSON.stringify(input);
      expect(text.match(/"type":"object"/g)).toHaveLength(text.match(/"additionalProperties":false/g)?.length ?? 0);
      expect(text).not.toMatch(/\$schema|anyOf|oneOf|allOf|Length|Items|"pattern":"/);
      expect(text.startsWith('{"type":"object"')).toBe(true);
    }
  });

  test("every tool has a title of one line, and what it may do is stated", () => {
    const titles = [
      [{ path: "a\u001b[31m\nb" }, "read"],
      [{ command: `echo ${"x".repeat(500)}\necho` }, "terminal"],
      [{ patch: "*** Begin Patch\n*** Update File: a\n*** Delete File: b\n*** End Patch" }, "edit"],
    ] as const;
    for (const [input, name] of titles) {
      const found = tool(name);
      const parsed = parseInput(found, JSON.stringify(input));
      if ("problem" in parsed) throw new Error(parsed.problem);
      expect(found.title(parsed.input)).toMatch(/^[\x20-\x7e…]{1,120}$/);
    }
    expect(TOOLS.filter(({ mode }) => mode === "sequential").map(({ name }) => name)).toEqual([
      ...["terminal", "process", "git", "todo", "ask_user"],
    ]);
    expect(TOOLS.filter(({ redo }) => redo !== "safe").map(({ name, redo }) => `${name} ${redo}`)).toEqual([
      ...["edit failed", "terminal ask", "process failed", "git ask"],
    ]);
  });
});

describe("inputs", () => {
  test.each([
    ["read", { file_path: "a", start_line: "5", limit: null }, { path: "a", offset: 5 }],
    ["read", { filePath: "a" }, { path: "a" }],
    ["terminal", { cmd: "ls", run_in_background: "false" }, { command: "ls", background: false }],
    [
      "edit",
      { file_path: "a", old_string: "x", new_string: "y", replace_all: true },
      { path: "a", edits: [{ old: "x", new: "y", all: true }] },
    ],
    ["edit", { path: "a", edits: { oldText: "x", newText: "y" } }, { path: "a", edits: [{ old: "x", new: "y" }] }],
    ["edit", { path: "a", edits: '[{"old":"x","new":"y"}]' }, { path: "a", edits: [{ old: "x", new: "y" }] }],
    ["edit", { input: "*** Begin Patch" }, { patch: "*** Begin Patch" }],
    ["write", { path: "a", content: '{"a": 1}' }, { path: "a", content: '{"a": 1}' }],
    ["grep", { query: "x", include: "*.ts", case_insensitive: true }, { pattern: "x", glob: "*.ts", ignoreCase: true }],
    ["todo", { todos: [{ content: "x", status: "in_progress" }] }, { items: [{ text: "x", status: "active" }] }],
    ["process", { action: "STOP", pid: "p1" }, { action: "stop", processId: "p1" }],
    ["git", { action: "diff", files: "a.ts" }, { action: "diff", paths: ["a.ts"] }],
  ])("%s takes %j", (name, sent, meant) => {
    expect(parseInput(tool(name), JSON.stringify(sent))).toEqual({ input: meant });
  });

  test("an empty text is an input without fields", () => {
    expect(parseInput(tool("todo"), "")).toEqual({ input: {} });
  });

  test("what cannot be read or fits no field is answered with what to send", () => {
    expect(problem("read", '{"path": "a')).toMatch(/not valid JSON.*it starts with: \{"path": "a\n/);
    expect(problem("read", "{}")).toBe(
      "Invalid input for read. The tool did not run.\n- path: expected string, received undefined\n" +
        "Send a JSON object with: path (string), offset (integer, optional), limit (integer, optional).",
    );
    expect(problem("read", '{"path": 5, "ofset": 1, "limit": 0}')).toMatch(
      /- path: expected string, received number\n- limit: .*>=1\n- unknown field ofset \(did you mean offset\?\): leave out\n/,
    );
    expect(problem("edit", '{"path":"a","edits":[{"old":"x"}]}')).toContain("- edits[0].new: expected string");
    expect(problem("edit", '{"path":"a"}')).toContain("- the input: send either path and edits, or patch alone");
    expect(problem("process", '{"action":"stop"}')).toContain("- processId: action stop needs it");
    expect(problem("process", '{"action":"go"}')).toContain('expected one of "start"|"list"');
    expect(problem("git", '{"action":"commit"}')).toContain("- message: action commit needs it");
    expect(problem("artifact", '{"name":"a"}')).toContain("send either content or path");
    expect(problem("terminal", '{"command":"x","timeoutMs":5}')).toContain("timeoutMs");
    expect(problem("read", '["a"]')).toContain("expected object");
    expect(problem("read", '{"path":"a","__proto__":{"limit":1},"constructor":1}')).toContain("constructor");
  });

  test("two names for one field are refused rather than guessed", () => {
    expect(problem("read", '{"path":"a","file_path":"b"}')).toContain("unknown field file_path");
  });
});

function tool(name: string): AnyTool {
  const found = TOOLS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no tool ${name}`);
  return found;
}

function problem(name: string, text: string): string {
  const parsed = parseInput(tool(name), text);
  return "problem" in parsed ? parsed.problem : `took ${JSON.stringify(parsed.input)}`;
}

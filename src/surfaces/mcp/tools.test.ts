import { describe, expect, test } from "vitest";
import { SYSCALLS } from "../../syscalls/index.ts";
import { OTHER_NAMES, toolsOf } from "./tools.ts";

const tools = toolsOf(SYSCALLS);
const listed = (name: string) => tools.get(name)?.listed;

describe("MCP tools", () => {
  test("every syscall is a tool, named in snake case", () => {
    for (const { name } of SYSCALLS) expect(tools.has(name.replaceAll(/[.-]/g, "_"))).toBe(true);
  });

  test("tool names and descriptions follow the protocol's rules", () => {
    for (const { listed: tool } of tools.values()) {
      expect(tool.name).toMatch(/^[a-z0-9_]{1,64}$/);
      expect(tool.description?.length).toBeGreaterThan(5);
      expect(tool.inputSchema.type).toBe("object");
      expect(tool.outputSchema?.["type"]).toBe("object");
    }
  });

  test("AIP-46's five tools have both names, and take `sessionId`", () => {
    const both = [
      ["agent_start", "start_agent_session"],
      ["agent_prompt", "prompt_agent_session"],
      ["agent_sessions_list", "list_agent_sessions"],
      ["agent_output", "get_agent_session_output"],
      ["agent_kill", "kill_agent_session"],
    ];
    for (const [now = "", before = ""] of both) expect(tools.get(now)?.syscall).toBe(tools.get(before)?.syscall);
    expect(listed("agent_prompt")?.inputSchema).toMatchObject({ required: ["sessionId", "prompt"] });
    expect(listed("agent_kill")?.outputSchema?.["properties"]).toHaveProperty("sessionId");
  });

  test("tool hints follow from the syscall table", () => {
    expect(listed("session_list")?.annotations).toEqual({
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
    });
    expect(listed("session_kill")?.annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
    });
    expect(listed("session_prompt")?.annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
    });
  });

  test("only a tool that writes can be destructive", () => {
    expect(SYSCALLS.filter(({ kind, destructive }) => destructive && kind !== "write")).toEqual([]);
  });

  test("a tool for a stream takes limits and returns items", () => {
    expect(listed("session_stream")?.inputSchema["properties"]).toHaveProperty("waitMs");
    expect(listed("session_stream")?.outputSchema?.["properties"]).toHaveProperty("items");
  });

  test("no toolset is called as a family of syscalls: `?toolsets=` would mean both", () => {
    const families = new Set(SYSCALLS.map(({ name }) => name.split(".")[0] ?? ""));
    const named = new Set(["all", OTHER_NAMES, ...SYSCALLS.flatMap(({ mcp }) => mcp?.toolsets ?? [])]);
    expect([...named].filter((name) => families.has(name) || families.has(name.replace(/s$/, "")))).toEqual([]);
  });

  test("two tools of one name are a defect", () => {
    expect(() => toolsOf([...SYSCALLS, ...SYSCALLS.slice(0, 1)])).toThrow("two tools are named");
  });
});

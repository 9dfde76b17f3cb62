import type { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { rolesOf, SYSCALLS } from "../../../src/syscalls/index.ts";
import { BIN } from "../../support/daemon.ts";
import { type DaemonHere, startDaemonHere } from "../../support/daemon-here.ts";
import { connectedClient, MCP_VERSIONS, type McpVersion, mcpClient } from "../../support/mcp-client.ts";
import { alone, initialize, messagesIn, rawMcp } from "../../support/mcp-raw.ts";
import { proves } from "../../support/proves.ts";

const AGENT_BYTES_MAX = 30_000;
const CORE_BYTES_MAX = 70_000;
const AGENT_TOOLS = [
  ...["artifact_write", "find_tool", "session_ask", "session_delegates", "session_kill", "session_note"],
  ...[
    "session_output",
    "session_prompt",
    "session_show",
    "session_siblings",
    "session_start",
    "session_wait",
    "todo_replace",
  ],
  ...["turn_begin", "turn_end", "turn_say"],
];

let daemon: DaemonHere;
let sessionId: string;
let agentToken: string;
beforeAll(async () => {
  daemon = await startDaemonHere();
  sessionId = await startSession();
  agentToken = await daemon.scoped([...rolesOf().session, ...rolesOf().below], sessionId);
});
afterAll(() => daemon[Symbol.asyncDispose]());

async function startSession(): Promise<string> {
  const started = await daemon.call("POST", "/sessions/agent", { adapter: "demo" });
  const { id }: { id: string } = JSON.parse(await started.text());
  return id;
}

async function listed(given: { readonly token?: string; readonly toolsets?: string; readonly version?: McpVersion }) {
  const { token = daemon.token, toolsets, version = "2025-11-25" } = given;
  const client = await mcpClient({ url: daemon.url, token }, version, toolsets);
  const { tools } = await client.listTools();
  return { client, tools, names: tools.map(({ name }) => name).sort(), bytes: JSON.stringify(tools).length };
}

async function found(client: Client, query: string, limit = 5) {
  const result = await client.callTool({ name: "find_tool", arguments: { query, limit } });
  const { tools, more }: { tools: { name: string; inputSchema: unknown }[]; more: number } = Object(
    result.structuredContent,
  );
  return { more, tools, names: tools.map(({ name }) => name) };
}

proves("MCP-1", "a session's own token without toolsets: the tools that an agent needs and find_tool", async () => {
  for (const version of MCP_VERSIONS) {
    const { names, bytes } = await listed({ token: agentToken, version });
    expect(names).toEqual(AGENT_TOOLS);
    expect(bytes).toBeLessThan(AGENT_BYTES_MAX);
  }
});

proves("MCP-1", "an agent on a ticket is shown the tools of that work too", async () => {
  const { names } = await listed({ token: agentToken, toolsets: "inside,on-ticket" });
  expect(names).toEqual(
    [...AGENT_TOOLS, "session_amend", "session_drift", "session_finish", "session_handover"].sort(),
  );
});

proves(
  "MCP-1",
  "the operator without toolsets: the core, AIP-46's names and find_tool, in half of the bytes",
  async () => {
    const { names, bytes } = await listed({});
    const core = SYSCALLS.filter(({ mcp }) => mcp?.toolsets?.includes("core")).map(({ name }) =>
      name.replaceAll(/[.-]/g, "_"),
    );
    const aip46 = SYSCALLS.flatMap(({ mcp }) => Object.keys(mcp?.aliases ?? {}));
    expect(names).toEqual([...core, ...aip46, "find_tool"].sort());
    expect(bytes).toBeLessThan(CORE_BYTES_MAX);
    expect((await listed({ toolsets: "all" })).bytes).toBeGreaterThan(2 * bytes);
  },
);

proves("MCP-1", "toolsets by name: the tools of these families, singular or plural, and no others", async () => {
  for (const version of MCP_VERSIONS) {
    const { names } = await listed({ toolsets: "sessions,audit", version });
    const wanted = SYSCALLS.flatMap(({ name }) => (/^(session|audit)\./.test(name) ? [name.replace(".", "_")] : []));
    expect(names).toEqual([...wanted, "find_tool"].sort());
  }
  const { names } = await listed({ toolsets: "all" });
  for (const { name } of SYSCALLS) expect(names).toContain(name.replaceAll(/[.-]/g, "_"));
});

proves(
  "MCP-1",
  "a toolset that does not exist: refused with the names that exist, with a handshake and without",
  async () => {
    const headersOf = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const authorization = `Bearer ${daemon.token}`;
    const { body, headers } = alone("tools/list");
    for (const [sent, more] of [[initialize("2025-11-25"), {}] as const, [body, headers] as const]) {
      const answer = await fetch(`${daemon.url}/mcp?toolsets=session,nonsense`, {
        method: "POST",
        headers: { authorization, ...headersOf, ...more },
        body: JSON.stringify(sent),
      });
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({
        error: { data: { code: "invalid_request", details: { unknown: "nonsense", known: expect.any(Array) } } },
      });
    }
    const [message] = await messagesIn(await rawMcp(daemon).post(body, headers));
    expect(message).toHaveProperty("result.tools");
  },
);

proves("MCP-1", "nomos mcp --toolsets lists these over standard input and output", async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, "mcp", "--toolsets", "tokens"],
    env: { PATH: process.env["PATH"] ?? "", NOMOS_HOME: daemon.home },
  });
  const client = await connectedClient(transport, "2025-11-25");
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual(["find_tool", "token_issue", "token_list", "token_revoke"]);
});

proves(
  "MCP-2",
  "find_tool finds a tool that is not listed; called with the schema it gave, the tool works",
  async () => {
    const { client, names } = await listed({});
    expect(names).not.toContain("worktree_list");
    for (const [query, wanted] of [
      ["list worktrees", "worktree_list"],
      ["revoke a token", "token_revoke"],
      ["verify the audit log", "audit_verify"],
      ["back up", "system_backup"],
      ["todo", "todo_show"],
      ["agent_kill", "agent_kill"],
    ] as const)
      expect((await found(client, query)).names, query).toContain(wanted);
    const [tool] = (await found(client, "worktree_list")).tools;
    expect(tool).toMatchObject({ name: "worktree_list", inputSchema: { type: "object" } });
    const called = await client.callTool({ name: "worktree_list", arguments: {} });
    expect(called).toMatchObject({ structuredContent: { worktrees: [] } });
  },
);

proves("MCP-2", "find_tool says how many more match, names each syscall once, and refuses wrong input", async () => {
  const { client } = await listed({});
  const { more, tools } = await found(client, "session", 3);
  expect(tools).toHaveLength(3);
  expect(more).toBeGreaterThan(10);
  const { names } = await found(client, "start a session", 20);
  expect(names.filter((name) => /^(session_start|agent_start|start_agent_session)$/.test(name))).toHaveLength(1);
  expect((await found(client, "zzzqqq")).tools).toEqual([]);
  for (const wrong of [{}, { query: "" }, { query: "x".repeat(201) }, { query: "x", limit: 21 }])
    expect(await client.callTool({ name: "find_tool", arguments: wrong })).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "invalid_request" } },
    });
});

proves("MCP-3", "a session's own token: no toolset and no search shows a tool that it may not call", async () => {
  const hidden = ["system_shutdown", "token_issue", "config_set", "sandbox_run", "system_status", "audit_export"];
  for (const toolsets of ["all", "core", "system,token,config,sandbox,audit"]) {
    const { names } = await listed({ token: agentToken, toolsets });
    for (const name of hidden) expect(names).not.toContain(name);
  }
  const { client } = await listed({ token: agentToken });
  for (const query of [...hidden, "shutdown daemon", "issue token"]) {
    const { names } = await found(client, query, 20);
    for (const name of hidden) expect(names).not.toContain(name);
  }
});

proves(
  "MCP-3",
  "a session's own token calls what is not listed: permitted if it may, denied if it may not",
  async () => {
    const other = await startSession();
    const { client, names } = await listed({ token: agentToken });
    expect(names).not.toContain("session_events");
    const own = await client.callTool({ name: "session_events", arguments: { id: sessionId } });
    expect(own).not.toHaveProperty("isError");
    for (const [name, input] of [
      ["session_events", { id: other }],
      ["token_list", {}],
      ["agent_kill", { sessionId: other }],
    ] as const)
      expect(await client.callTool({ name, arguments: input })).toMatchObject({
        isError: true,
        structuredContent: { error: { code: "denied" } },
      });
  },
);

import * as z from "zod";
import { McpServerName } from "../../contract/index.ts";
import { read, type Syscall, write } from "../define.ts";
import { ServerWire, TestWire } from "./wire.ts";

const aboutIt = (input: Record<string, unknown>) => `mcp-server/${String(input["name"] ?? "")}`;
const words = (max: number) => z.array(z.string().min(1).max(max)).max(256).optional();

export const mcpServer: readonly Syscall[] = [
  read({
    name: "mcp-server.list",
    summary: "List the MCP servers: whether they are connected, who uses them, and what is wrong",
    permission: "mcp.read",
    roles: ["viewer"],
    needs: ["mcpServers"],
    about: "system",
    input: z.object({}),
    output: z.object({ servers: z.array(ServerWire) }),
    errors: [],
    http: { method: "GET", path: "/api/mcp-servers" },
    cli: { positional: [] },
    answer: async ({ services }) => ({
      servers: (await services.mcpServers.list()).map(({ agents, secrets, ...server }) => ({
        ...server,
        agents: agents === null ? null : [...agents],
        secrets: [...secrets],
      })),
    }),
  }),
  write({
    name: "mcp-server.add",
    summary: "Add an MCP server: a program, an address, or the settings of another program as JSON",
    permission: "mcp.write",
    roles: [],
    needs: ["mcpServers"],
    rights: "person",
    about: aboutIt,
    input: z.object({
      name: McpServerName.optional().describe("its tools are called mcp__NAME__TOOL"),
      argv: z
        .array(z.string().max(16_384))
        .min(1)
        .max(256)
        .optional()
        .describe("the program and its arguments, after `--`; no shell reads them"),
      url: z
        .url({ protocol: /^https?$/ })
        .max(2048)
        .optional()
        .describe("the address of a server that speaks HTTP"),
      env: words(16_384).describe("a variable of the program: NAME=env:VARIABLE, NAME=file:PATH or NAME=VALUE"),
      header: words(16_384).describe("a header of each request, such as `Authorization=Bearer env:TOKEN`"),
      cwd: z.string().min(1).max(4096).optional().describe("where the program runs"),
      agents: words(64).describe("only sessions of these agents have it"),
      allow: words(200).describe("only these of its tools; `*` stands for any text"),
      deny: words(200).describe("not these of its tools"),
      timeoutMs: z.number().int().min(100).max(3_600_000).optional().describe("a call that takes longer is given up"),
      private: z.boolean().optional().describe("one process for each session, in its directory; default: one for all"),
      outsideWalls: z
        .boolean()
        .optional()
        .describe("strict sessions have it too, although it runs outside of their walls"),
      settings: z
        .string()
        .max(1_048_576)
        .optional()
        .describe("its settings as JSON, or a file of another program with `mcpServers`"),
      replace: z.boolean().optional().describe("replace a server of this name"),
    }),
    output: z.object({ names: z.array(z.string()), name: z.string() }),
    errors: ["sandbox_floor", "mcp_server_exists", "mcp_server_invalid", "key_in_argument", "invalid_request"],
    http: { method: "POST", path: "/api/mcp-servers", status: 201 },
    cli: {
      positional: ["name", "argv"],
      paths: ["cwd"],
      files: ["settings"],
      says: ["Added {names.length|server}: {name}.", "Next: nomos mcp-server test {name}"],
    },
    commit: async ({ services }, { replace = false, ...given }) => {
      await services.mcpServers.add(given, replace);
      return [];
    },
    answer: async ({ services }, { replace: _replace, ...given }) => {
      const names = [...services.mcpServers.namesIn(given)];
      return { names, name: names[0] ?? "" };
    },
  }),
  write({
    name: "mcp-server.test",
    summary: "Connect to an MCP server, and say which tools it has or what is wrong",
    permission: "mcp.write",
    roles: [],
    needs: ["mcpServers"],
    rights: "person",
    about: aboutIt,
    input: z.object({ name: McpServerName }),
    output: TestWire,
    errors: ["sandbox_floor", "mcp_server_not_found"],
    http: { method: "POST", path: "/api/mcp-servers/:name/test" },
    cli: {
      positional: ["name"],
      says: ["{says}", ["ok", true, 'Next: nomos run -a nomos "use the tools of {name}"']],
      succeeds: { member: "ok", value: "true" },
    },
    idempotent: true,
    commit: async () => [],
    answer: async ({ services }, { name }) => {
      const report = await services.mcpServers.test(name);
      return { ...report, tools: report.tools.map((one) => ({ ...one })) };
    },
  }),
  write({
    name: "mcp-server.remove",
    summary: "Remove an MCP server and its login; its processes end",
    permission: "mcp.write",
    roles: [],
    needs: ["mcpServers"],
    rights: "person",
    about: aboutIt,
    input: z.object({ name: McpServerName }),
    output: z.object({ ok: z.literal(true), name: z.string() }),
    errors: ["sandbox_floor", "mcp_server_not_found", "invalid_request"],
    http: { method: "DELETE", path: "/api/mcp-servers/:name" },
    cli: { positional: ["name"], says: ["Removed {name}."] },
    destructive: true,
    commit: async ({ services }, { name }) => {
      await services.mcpServers.remove(name);
      return [];
    },
    answer: async (_context, { name }) => ({ ok: true as const, name }),
  }),
  write({
    name: "mcp-server.login",
    summary: "Log in to an MCP server by OAuth: open the page that the answer names",
    permission: "mcp.write",
    roles: [],
    needs: ["mcpServers"],
    rights: "person",
    about: aboutIt,
    input: z.object({ name: McpServerName }),
    output: z.object({
      page: z.string().describe("open this page in a browser on this machine"),
      expiresInS: z.number(),
    }),
    errors: ["sandbox_floor", "mcp_server_not_found", "mcp_login_unsupported", "mcp_login_failed"],
    http: { method: "POST", path: "/api/mcp-servers/:name/login" },
    cli: { positional: ["name"], says: ["Open {page}", "Next: nomos mcp-server test {input.name}, once you did."] },
    idempotent: true,
    commit: async () => [],
    answer: ({ services }, { name }) => services.mcpServers.login(name),
  }),
];

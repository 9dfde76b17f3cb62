import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createProcessHost, systemClock } from "../../src/host/index.ts";
import type { Json, SessionSpec } from "../../src/kernel/index.ts";
import { openSettings } from "../../src/services/config/settings.ts";
import type { McpLimits } from "../../src/services/mcp-servers/limits.ts";
import { createMcpServers, type McpServers } from "../../src/services/mcp-servers/mcp-servers.ts";
import type { ServedResult, ServedTools, ToolSession } from "../../src/turns/index.ts";

export const EVERYDAY = join(import.meta.dirname, "../fixtures/mcp-servers/everyday.ts");

export interface McpServersHere extends AsyncDisposable {
  readonly servers: McpServers;
  readonly home: string;
  /** What the server noted with `--note`. */
  readonly notes: () => Promise<readonly string[]>;
  readonly note: string;
  readonly logged: string[];
  readonly tools: (sessionId?: string, spec?: Partial<SessionSpec>) => Promise<ServedTools>;
  readonly call: (tool: string, input?: Json, sessionId?: string, signal?: AbortSignal) => Promise<ServedResult>;
}

/** The room of MCP servers on real processes, without a daemon. */
export async function mcpServersHere(
  mcpServers: object,
  options: {
    readonly limits?: Partial<McpLimits>;
    readonly environment?: Record<string, string>;
    readonly home?: string;
  } = {},
): Promise<McpServersHere> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "nomos-mcp-")));
  const home = options.home ?? folder;
  const note = join(folder, "note");
  const config = await openSettings(home);
  const given = JSON.parse(JSON.stringify(mcpServers).replaceAll("NOTE", note));
  if (options.home === undefined) await config.change({ mcpServers: given });
  const host = createProcessHost({ home: join(folder), bwrapPath: null });
  const logged: string[] = [];
  const environment = { PATH: process.env["PATH"] ?? "", ...options.environment };
  const servers = createMcpServers({
    ...{ home, config, environment, version: "0.0.0", clock: systemClock() },
    readSecret: async (name) => `value of ${name}`,
    cwd: tmpdir(),
    host: {
      spawn: ({ argv, cwd, env }) => host.spawn({ argv, cwd, env: { ...environment, ...env }, stdin: "pipe" }),
    },
    log: (message, details) => logged.push(`${message} ${JSON.stringify(details)}`),
    limits: { graceMs: 50, waitMs: 20_000, ...options.limits },
  });
  const session = (sessionId: string, spec: Partial<SessionSpec> = {}): ToolSession => ({
    sessionId,
    spec: { agent: "nomos", cwd: tmpdir(), sandbox: "off", ...spec } as SessionSpec,
    ask: null,
  });
  return {
    ...{ servers, home, note, logged },
    notes: async () => (await readFile(note, "utf8").catch(() => "")).split("\n").filter((line) => line !== ""),
    tools: (sessionId = "s1", spec = {}) => servers.source.tools(session(sessionId, spec)),
    call: async (name, input = {}, sessionId = "s1", signal = new AbortController().signal) => {
      const { tools, problems } = await servers.source.tools(session(sessionId));
      const tool = tools.find((one) => one.name === name);
      if (tool === undefined) throw new Error(`no tool ${name}: ${problems.join("; ")}`);
      return tool.run(input, { sessionId, turnId: "t", key: "k", spec: session(sessionId).spec, signal });
    },
    [Symbol.asyncDispose]: async () => {
      await servers.stop();
      await host.stopAll({ graceMs: 100 });
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function everyday(...args: readonly string[]): { readonly command: string; readonly args: readonly string[] } {
  return { command: process.execPath, args: [EVERYDAY, "--note", "NOTE", ...args] };
}

export function textOf({ content }: ServedResult): string {
  return content.map((part) => (part.kind === "text" ? part.text : part.mediaType)).join("\n");
}

import type { Json } from "../../kernel/index.ts";
import type { ServedTool, ToolSession, ToolSource } from "../../turns/index.ts";
import type { McpLimits } from "./limits.ts";
import type { ListedTool } from "./list-tools.ts";
import type { McpPool } from "./pool.ts";
import { servedResult } from "./result-content.ts";
import { isPrivate, type McpServer } from "./server.ts";
import { serverFailed } from "./server-failed.ts";
import { isWanted, servedName } from "./tool-names.ts";

/** The kind of effect that a call is: rules name it `tool.mcp`, with the resource `session/ID/SERVER/TOOL`. */
const KIND = "mcp";

export interface McpSource extends ToolSource {
  /** Waits until the session's servers are connected or have failed, at most so long. */
  readonly ready: (session: ToolSession, waitMs: number) => Promise<void>;
}

/** The tools of all MCP servers that a session has. */
export function createMcpSource(
  servers: () => readonly McpServer[],
  pool: Pick<McpPool, "tools" | "call">,
  limits: McpLimits,
): McpSource {
  const offered = (session: ToolSession) => servers().filter(({ settings }) => isFor(settings.agents, session));
  const parts = { offered, pool, limits };
  return {
    name: KIND,
    ready: async (session, waitMs) => {
      const own = offered(session).filter((server) => wallsOf(server, session) === null);
      await Promise.all(own.map((server) => pool.tools(server, session, waitMs)));
    },
    tools: async (session) => {
      const found = await Promise.all(
        offered(session).map(async (server) => {
          const outside = wallsOf(server, session);
          const known = outside === null ? await pool.tools(server, session, limits.waitMs) : null;
          const tools = (known?.list?.tools ?? []).filter(({ name }) => isWanted(name, server.settings.tools));
          return {
            tools: tools.map((tool) => served(server, tool, { ...parts, session })),
            problem: outside ?? known?.problem,
          };
        }),
      );
      return {
        tools: found.flatMap(({ tools }) => tools),
        problems: found.flatMap(({ problem }) => problem ?? []),
      };
    },
  };
}

interface ServedParts {
  readonly session: ToolSession;
  readonly offered: (session: ToolSession) => readonly McpServer[];
  readonly pool: Pick<McpPool, "call">;
  readonly limits: McpLimits;
}

function served(server: McpServer, tool: ListedTool, { session, offered, pool, limits }: ServedParts): ServedTool {
  /** A person may have removed or changed the server since the turn began: what they said last counts. */
  const asItIsNow = (): McpServer => {
    const now = offered(session).find(({ name }) => name === server.name);
    if (now !== undefined && wallsOf(now, session) === null && isWanted(tool.name, now.settings.tools)) return now;
    throw serverFailed(server.name, `the settings do not offer ${tool.name} to this session any more`);
  };
  // One segment: a rule's `*` spans the whole name.
  const resource = `${server.name}/${tool.name.replaceAll("/", "∕")}`;
  return {
    name: servedName(server.name, tool.name),
    description: tool.description,
    // A library has checked that it is JSON; its types allow more.
    input: { ...tool.input } as { readonly [key: string]: Json },
    kind: KIND,
    redo: tool.isRepeatable ? "safe" : "ask",
    mode: "parallel",
    resource: () => resource,
    shown: (input) => `${resource} ${JSON.stringify(input)}`,
    run: async (input, { signal, sessionId, spec }) =>
      servedResult(
        await pool.call(asItIsNow(), { ...session, sessionId, spec }, { tool, input, signal }),
        limits.resultBytesMax,
      ),
  };
}

function isFor(agents: readonly string[] | undefined, { spec }: ToolSession): boolean {
  return agents === undefined || agents.includes(spec.agent);
}

/** A strict session reaches nothing outside of its walls, so not through a server either, unless a person said so. */
function wallsOf(server: McpServer, { spec }: ToolSession): string | null {
  if (spec.sandbox !== "strict" || isPrivate(server) || server.settings.outsideWalls === true) return null;
  return `${server.name} runs outside of this session's walls, so it is not offered (\`outsideWalls\` allows it)`;
}

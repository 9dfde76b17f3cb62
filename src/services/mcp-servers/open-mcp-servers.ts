import { dirname } from "node:path";
import type { AgentHost, Kept } from "../../turns/index.ts";
import type { OpenedHome } from "../home/open-home.ts";
import { createMcpServers, type McpServerDeps, type McpServers } from "./mcp-servers.ts";

export interface McpServerService extends McpServers {
  /** What a driver keeps for a session, with the session's place at MCP servers: both go when it sleeps or ends. */
  readonly beside: (kept: Kept | null) => Kept;
}

/** MCP servers on a home's configuration and the machine's processes. */
export function openMcpServers(
  { home, config, clock, log }: Pick<OpenedHome, "home" | "config" | "clock" | "log">,
  given: Pick<McpServerDeps, "environment" | "version" | "readSecret"> & { readonly host: Pick<AgentHost, "spawn"> },
): McpServerService {
  const servers = createMcpServers({ ...given, home, config, clock, log: log.write, cwd: dirname(home) });
  return {
    ...servers,
    beside: (kept) => ({
      ...kept,
      release: async (sessionId) => {
        await Promise.all([kept?.release(sessionId), servers.release(sessionId)]);
      },
    }),
  };
}

import { randomUUID } from "node:crypto";
import { NomosError } from "../../contract/index.ts";
import type { Clock } from "../../host/index.ts";
import type { McpServer, OpenServer } from "./server.ts";
import { serverFailed } from "./server-failed.ts";
import { isWanted, servedName } from "./tool-names.ts";

export interface ServerTest {
  readonly ok: boolean;
  readonly name: string;
  readonly ms: number;
  readonly server: string | null;
  readonly protocol: string | null;
  readonly tools: readonly { readonly name: string; readonly title: string }[];
  readonly says: string;
}

const TITLE_CHARS = 200;

/** Uses a connection of its own, so that a server in use is not disturbed and a broken one is tried at once. */
export async function testServer(server: McpServer, open: OpenServer, clock: Clock): Promise<ServerTest> {
  const { name, settings } = server;
  const startedMs = clock.steadyMs();
  const ms = (): number => Math.round(clock.steadyMs() - startedMs);
  const user = { sessionId: `test-${randomUUID()}`, spec: null };
  try {
    const connection = await open(server, user, new AbortController().signal);
    // Not asked again, also if it says that its tools have changed: it has just listed them.
    const { about } = connection;
    const { tools } = connection.lastTools();
    await connection.close();
    const shown = tools
      .filter((tool) => isWanted(tool.name, settings.tools))
      .map((tool) => ({ name: servedName(name, tool.name), title: tool.description.slice(0, TITLE_CHARS) }));
    return {
      ok: true,
      name,
      ms: ms(),
      server: `${about.name} ${about.version}`.trim(),
      protocol: about.protocol,
      tools: shown,
      says: `${name} works: ${shown.length} ${shown.length === 1 ? "tool" : "tools"}.`,
    };
  } catch (thrown) {
    const error = thrown instanceof NomosError ? thrown : serverFailed(name, String(thrown), thrown);
    const remedy = error.code === "mcp_login_needed" ? ` ${error.remedy}` : "";
    return { ok: false, name, ms: ms(), server: null, protocol: null, tools: [], says: `${error.message}${remedy}` };
  }
}

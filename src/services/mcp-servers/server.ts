import type { McpServerSettings } from "../../contract/index.ts";
import type { SessionSpec } from "../../kernel/index.ts";
import type { Connection } from "./connection.ts";

export interface McpServer {
  readonly name: string;
  readonly settings: McpServerSettings;
}

/** A session that uses a server. */
export interface ServerUser {
  readonly sessionId: string;
  readonly spec: SessionSpec | null;
}

/** Opens a connection to a server. Rejects with a sentence that names the server. */
export type OpenServer = (server: McpServer, user: ServerUser, signal: AbortSignal) => Promise<Connection>;

/** Each session has a process of its own. */
export function isPrivate({ settings }: McpServer): boolean {
  return isProgram(settings) && settings.shared === false;
}

export function isProgram(settings: McpServerSettings): settings is Extract<McpServerSettings, { command: string }> {
  return "command" in settings;
}

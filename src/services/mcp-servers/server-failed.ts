import { NomosError } from "../../contract/index.ts";

const REASON_CHARS = 1_000;

/** Names the server, so that whoever has twenty of them knows which one it is. */
export function serverFailed(server: string, reason: string, cause?: unknown): NomosError {
  const short = reason.slice(0, REASON_CHARS);
  return new NomosError("mcp_server_failed", { server, reason: short }, { message: `${server}: ${short}`, cause });
}

export function loginNeeded(server: string): NomosError {
  return new NomosError(
    "mcp_login_needed",
    { server },
    { message: `${server} wants a login.`, remedy: `Run \`nomos mcp-server login ${server}\`.` },
  );
}

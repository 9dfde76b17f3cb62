import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";

export type McpVersion = "2025-11-25" | "2026-07-28";
export const MCP_VERSIONS: readonly McpVersion[] = ["2025-11-25", "2026-07-28"];

/** The official client over HTTP, in a given version. Closed when the test ends. */
export async function mcpClient(
  { url, token }: { readonly url: string; readonly token: string },
  version: McpVersion,
  toolsets?: string,
): Promise<Client> {
  const headers = { authorization: `Bearer ${token}` };
  const address = new URL(`${url}/mcp${toolsets === undefined ? "" : `?toolsets=${toolsets}`}`);
  const transport = new StreamableHTTPClientTransport(address, { requestInit: { headers } });
  const client = await connectedClient(transport, version);
  onTestFinished(() => client.close());
  return client;
}

export async function connectedClient(transport: Transport, version: McpVersion): Promise<Client> {
  const negotiated = version === "2026-07-28" ? { versionNegotiation: { mode: { pin: version } } } : {};
  const client = new Client({ name: "test", version: "1" }, negotiated);
  await client.connect(transport);
  return client;
}

/** MCP by hand: for requests that a proper client would not send. */
export interface RawMcp {
  readonly post: (body: unknown, headers?: Readonly<Record<string, string>>) => Promise<Response>;
  readonly send: (
    method: string,
    headers?: Readonly<Record<string, string>>,
    body?: string | Uint8Array<ArrayBuffer>,
  ) => Promise<Response>;
}

export interface RawMcpTarget {
  readonly url: string;
  readonly token: string;
}

export function rawMcp({ url, token }: RawMcpTarget): RawMcp {
  const send: RawMcp["send"] = (method, headers = {}, body) => {
    const sent = new Headers({
      authorization: `Bearer ${token}`,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...headers,
    });
    for (const [name, value] of Object.entries(headers)) if (value === "") sent.delete(name);
    return fetch(`${url}/mcp`, { method, headers: sent, ...(body === undefined ? {} : { body }) });
  };
  return { send, post: (body, headers) => send("POST", headers, JSON.stringify(body)) };
}

export const initialize = (protocolVersion: string) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } },
});

/** The parts of a request of 2026-07-28: its envelope and the headers that repeat it. */
export function alone(method: string, params: Record<string, unknown> = {}, version = "2026-07-28") {
  const name = params["name"] ?? params["uri"];
  return {
    body: {
      jsonrpc: "2.0",
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": version,
          "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    },
    headers: {
      "mcp-protocol-version": version,
      "mcp-method": method,
      ...(typeof name === "string" ? { "mcp-name": name } : {}),
    },
  };
}

/** Does the handshake; returns the headers of the new session. */
export async function shakeHands(mcp: RawMcp, version: string): Promise<Record<string, string>> {
  const answer = await mcp.post(initialize(version));
  await answer.text();
  const headers = { "mcp-session-id": answer.headers.get("mcp-session-id") ?? "", "mcp-protocol-version": version };
  await mcp.post({ jsonrpc: "2.0", method: "notifications/initialized" }, headers);
  return headers;
}

/** The messages of an answer, as JSON or as a stream of events. */
export async function messagesIn(answer: Response): Promise<readonly Record<string, unknown>[]> {
  const text = await answer.text();
  if (!answer.headers.get("content-type")?.startsWith("text/event-stream"))
    return text === "" ? [] : [JSON.parse(text)];
  return text.split("\n").flatMap((line) => (/^data: ./.test(line) ? [JSON.parse(line.slice(6))] : []));
}

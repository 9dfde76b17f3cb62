import type { Bench } from "../bench/bench.ts";
import { expect, member } from "../expect.ts";
import { parseJson } from "./parse-json.ts";

/** A minimal MCP client for the cases. */
export interface Mcp {
  readonly tools: () => Promise<readonly string[]>;
  readonly tool: (name: string, args: object) => Promise<ToolAnswer>;
}

export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  /** The answer as JSON, from its structured content or its text. */
  readonly value: unknown;
}

const PROTOCOL_VERSION = "2025-06-18";

export async function createMcp(bench: Bench, token?: string | null): Promise<Mcp> {
  const headers: Record<string, string> = { accept: "application/json, text/event-stream" };
  const post = async (message: object) => {
    const body = { jsonrpc: "2.0", ...message };
    const answer = await bench.call("POST", "/mcp", { body, headers, ...(token === undefined ? {} : { token }) });
    return { ...answer, body: answer.body ?? lastData(answer.text) };
  };
  const open = async (): Promise<void> => {
    delete headers["mcp-session-id"];
    const clientInfo = { name: "conformance", version: "1" };
    const params = { protocolVersion: PROTOCOL_VERSION, capabilities: {}, clientInfo };
    const opened = await post({ id: 1, method: "initialize", params });
    expect(opened.status === 200, `MCP initialize is answered with ${opened.status}`);
    const session = opened.headers.get("mcp-session-id");
    if (session !== null) headers["mcp-session-id"] = session;
    headers["mcp-protocol-version"] = String(member(opened.body, "result", "protocolVersion") ?? PROTOCOL_VERSION);
    await post({ method: "notifications/initialized" });
  };
  /** Repeats the handshake if the server was restarted and no longer knows us. */
  const send = async (message: object) => {
    const answer = await post(message);
    if (answer.status !== 404) return answer;
    await open();
    return post(message);
  };
  await open();
  return {
    tools: async () => {
      const { body } = await send({ id: 2, method: "tools/list" });
      const tools = member(body, "result", "tools");
      return Array.isArray(tools) ? tools.map((tool) => String(member(tool, "name"))) : [];
    },
    tool: async (name, args) => {
      const { body } = await send({ id: 3, method: "tools/call", params: { name, arguments: args } });
      const text = String(member(body, "result", "content", 0, "text") ?? "");
      const value = member(body, "result", "structuredContent") ?? parseJson(text);
      return {
        isError: member(body, "result", "isError") === true || member(body, "error") !== undefined,
        text,
        value,
      };
    },
  };
}

function lastData(text: string): unknown {
  const data = text.split("\n").filter((line) => line.startsWith("data:"));
  return parseJson(data.at(-1)?.slice("data:".length) ?? "");
}

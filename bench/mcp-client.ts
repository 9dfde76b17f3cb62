import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { z } from "zod";

/** A minimal MCP client, so that the server is what is measured. */
export interface McpClient {
  readonly callTool: (name: string, given: object) => Promise<void>;
  readonly close: () => void;
}

const PROTOCOL = "2025-11-25";
const Message = z.object({ id: z.number(), result: z.object({ isError: z.boolean().optional() }) });

export async function openMcpClient(port: number, token: string): Promise<McpClient> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers: Record<string, string> = {
    authorization: `Bearer ${token}`,
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
  };
  let ids = 0;
  const ask = async (method: string, params: object): Promise<IncomingHttpHeaders> => {
    ids += 1;
    const answer = await post({ port, agent, headers }, { jsonrpc: "2.0", id: ids, method, params });
    const { id, result } = Message.parse(JSON.parse(messageIn(answer.text)));
    if (id !== ids || result.isError === true) throw new Error(`${method}: ${answer.text}`);
    return answer.headers;
  };
  const clientInfo = { name: "bench", version: "1" };
  const opened = await ask("initialize", { protocolVersion: PROTOCOL, capabilities: {}, clientInfo });
  headers["mcp-session-id"] = String(opened["mcp-session-id"]);
  headers["mcp-protocol-version"] = PROTOCOL;
  await post({ port, agent, headers }, { jsonrpc: "2.0", method: "notifications/initialized" });
  return {
    callTool: async (name, given) => {
      await ask("tools/call", { name, arguments: given });
    },
    close: () => agent.destroy(),
  };
}

/** The last message of an event stream, or the whole body. */
function messageIn(text: string): string {
  if (text.startsWith("{")) return text;
  const data = text.split("\n").filter((line) => line.startsWith("data: {"));
  return data.at(-1)?.slice("data: ".length) ?? "";
}

interface Answer {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

function post(
  to: { readonly port: number; readonly agent: Agent; readonly headers: Record<string, string> },
  message: object,
): Promise<Answer> {
  const payload = JSON.stringify(message);
  const headers = { ...to.headers, "content-length": Buffer.byteLength(payload) };
  return new Promise((resolve, reject) => {
    const { port, agent } = to;
    const asked = request({ host: "127.0.0.1", port, method: "POST", path: "/mcp", agent, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (chunk: string) => {
        text += chunk;
      });
      answer.on("end", () => {
        if ((answer.statusCode ?? 0) < 300) resolve({ headers: answer.headers, text });
        else reject(new Error(`POST /mcp: ${answer.statusCode} ${text}`));
      });
      answer.on("error", reject);
    });
    asked.on("error", reject);
    asked.end(payload);
  });
}

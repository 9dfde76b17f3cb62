import type { ServerResponse } from "node:http";
import { type Body, type Caller, type DoubleHost, send } from "./double.ts";
import { DoubleRefusal } from "./double-gate.ts";

const NAMES = {
  agent_start: "start_agent_session",
  agent_prompt: "prompt_agent_session",
  agent_sessions_list: "list_agent_sessions",
  agent_output: "get_agent_session_output",
  agent_kill: "kill_agent_session",
} as const;

/** As much MCP as the five tools need. */
export async function answerMcp(
  host: DoubleHost,
  caller: Caller,
  message: Body,
  response: ServerResponse,
): Promise<void> {
  const { id, method } = message;
  if (id === undefined) return void response.writeHead(202).end();
  const result = (value: object): void => send(response, 200, { jsonrpc: "2.0", id, result: value });
  if (method === "initialize")
    return result({
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "double", version: "1" },
    });
  if (method === "tools/list") {
    const names = [...Object.keys(NAMES), ...(host.broken(27) ? [] : Object.values(NAMES))];
    return result({ tools: names.map((name) => ({ name, inputSchema: { type: "object" } })) });
  }
  const { name, arguments: args } = Object(message["params"]);
  try {
    const value = await callTool(host, caller, current(String(name)), { ...Object(args) });
    result({ content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }] });
  } catch (thrown) {
    const code = thrown instanceof DoubleRefusal ? thrown.code : String(thrown);
    result({ isError: true, content: [{ type: "text", text: JSON.stringify({ error: { code } }) }] });
  }
}

async function callTool(host: DoubleHost, caller: Caller, name: string, args: Body): Promise<unknown> {
  if (name === "agent_start") {
    const made = host.spawn(caller, args);
    if (host.broken(28)) host.hidden.add(made.id);
    return made;
  }
  if (name === "agent_sessions_list") {
    const all = args["onlyAlive"] !== true || host.broken(29);
    return {
      sessions: host
        .list()
        .filter(({ isOver }) => all || !isOver)
        .map(({ record }) => record),
    };
  }
  const session = host.sessions.get(String(args["sessionId"]));
  if (session === undefined) throw new DoubleRefusal(404, "session_not_found");
  if (caller !== "operator" && session.record.parentSessionId !== caller.record.id)
    throw new DoubleRefusal(403, "denied");
  if (name === "agent_output")
    return session.lines
      .slice(-Number(args["lastN"] ?? 100))
      .map(({ line }) => line)
      .join("\n");
  if (name === "agent_kill") return { ...(await host.act("kill", session, {})), sessionId: session.record.id };
  if (session.busy && host.broken(30)) return { ok: true };
  return host.act("prompt", session, args);
}

function current(name: string): string {
  return Object.entries(NAMES).find(([, older]) => older === name)?.[0] ?? name;
}

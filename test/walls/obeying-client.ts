import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Demand;
  readonly result?: { readonly sessionId?: string };
}

interface Demand {
  readonly path?: string;
  readonly content?: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly update?: { readonly content?: { readonly text?: string } };
}

/** Sends a prompt to the fake agent as a client that does whatever it is asked. Returns what the agent said. */
export async function obeyAgent(agent: string, cwd: string, env: NodeJS.ProcessEnv, text: string): Promise<string> {
  const child = spawn(process.execPath, [agent], { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
  const exited = once(child, "exit");
  const said: string[] = [];
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  send({ id: 1, method: "initialize", params: { protocolVersion: 1 } });
  send({ id: 2, method: "session/new", params: { cwd, mcpServers: [] } });
  for await (const line of createInterface({ input: child.stdout })) {
    const { id, method, params = {}, result }: Message = JSON.parse(line);
    if (id === 2)
      send({
        id: 3,
        method: "session/prompt",
        params: { sessionId: result?.sessionId, prompt: [{ type: "text", text }] },
      });
    else if (method === "session/update") said.push(params.update?.content?.text ?? "");
    else if (method !== undefined) send({ id, result: await obey(method, params, cwd) });
    if (id === 3 && method === undefined) break;
  }
  child.stdin.end();
  await exited;
  return said.join("\n");
}

async function obey(method: string, params: Demand, cwd: string): Promise<object> {
  const { path = "", content = "", command = "", args = [], env = [] } = params;
  if (method === "fs/read_text_file") return { content: readFileSync(path, "utf8") };
  if (method === "fs/write_text_file") writeFileSync(path, content);
  const given = { ...process.env, ...Object.fromEntries(env.map(({ name, value }) => [name, value])) };
  if (method === "terminal/create")
    await promisify(execFile)(command, [...args], { cwd: params.cwd ?? cwd, env: given });
  return {};
}

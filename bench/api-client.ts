import { mkdir } from "node:fs/promises";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { z } from "zod";

/**
 * A daemon's syscalls over kept-alive connections. Anything but a 2xx is an error, because only successes are measured.
 */
export interface ApiClient {
  readonly call: (method: "GET" | "POST", path: string, body?: object) => Promise<Record<string, unknown>>;
  readonly close: () => void;
}

/** The same for any server on loopback: what it answers is for the caller to parse. */
export interface JsonClient {
  readonly call: (method: "GET" | "POST", path: string, body?: object) => Promise<unknown>;
  readonly close: () => void;
}

const CONNECTIONS_MAX = 64;
/** No request of a benchmark takes this long; a server that never answers must not hold up the run. */
const SILENCE_MAX_MS = 300_000;
const Answer = z.record(z.string(), z.unknown());

export function createApiClient(port: number, token: string): ApiClient {
  const { call, close } = createJsonClient(port, { authorization: `Bearer ${token}` });
  return { call: async (...args) => Answer.parse(await call(...args)), close };
}

export function createJsonClient(port: number, sentHeaders: Readonly<Record<string, string>>): JsonClient {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS_MAX });
  const call: JsonClient["call"] = (method, path, body) =>
    new Promise((resolve, reject) => {
      const payload = body === undefined ? "" : JSON.stringify(body);
      const headers = {
        ...sentHeaders,
        ...(method === "GET"
          ? {}
          : { "content-type": "application/json", "content-length": Buffer.byteLength(payload) }),
      };
      const to = { host: "127.0.0.1", port, method, path, agent, headers, timeout: SILENCE_MAX_MS };
      const asked = request(to, (answer) => {
        let text = "";
        answer.setEncoding("utf8");
        answer.on("data", (chunk: string) => {
          text += chunk;
        });
        answer.on("end", () => {
          const { statusCode = 0 } = answer;
          if (statusCode < 200 || statusCode > 299) reject(new Error(`${method} ${path}: ${statusCode} ${text}`));
          else resolve(JSON.parse(text));
        });
        answer.on("error", reject);
      });
      asked.on("error", reject);
      asked.on("timeout", () => asked.destroy(new Error(`${method} ${path}: no answer`)));
      asked.end(payload);
    });
  return { call, close: () => agent.destroy() };
}

/** A new session of the demo driver; with a prompt, one that has run its first turn. */
export async function startSession(api: ApiClient, cwd: string, prompt?: string): Promise<string> {
  // Not beside the homes: a session's snapshots would include them.
  const ground = join(cwd, "ground");
  await mkdir(ground, { recursive: true });
  const session = await api.call("POST", "/sessions/agent", {
    adapter: "demo",
    cwd: ground,
    ...(prompt === undefined ? {} : { prompt }),
  });
  const id = String(session["id"]);
  if (prompt !== undefined) await api.call("GET", `/sessions/${id}/wait`);
  return id;
}

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type ApiClient, createApiClient } from "../api-client.ts";
import { nomosLaunch, startPeer } from "../peers/server.ts";
import type { Contender, Conversation, Running, Setting } from "./contender.ts";
import { inTime } from "./contender.ts";
import { follow } from "./server-sent.ts";

export interface RunningNomos extends Running {
  readonly port: number;
  readonly token: string;
  readonly api: ApiClient;
  /** A session from before the daemon was started. */
  readonly resume: (id: string) => Conversation;
  readonly begin: (prompt: string) => Promise<NomosConversation>;
}

interface NomosConversation extends Conversation {
  readonly id: string;
}

const KEY = "BENCH_KEY";
const Waited = z.object({ turn: z.object({ outcome: z.string() }) });

/** Our engine in a daemon of the bundled product. */
export function nomosContender(setting: Setting): Contender {
  return { name: "nomos", processPerSession: false, start: () => startNomos(setting, "nomos-home") };
}

export async function startNomos({ product, modelUrl, folder, cwd }: Setting, home: string): Promise<RunningNomos> {
  const where = folder(home);
  writeFileSync(join(where, "config.json"), JSON.stringify(configuration(modelUrl)));
  const launch = nomosLaunch(await product(), where);
  const server = await startPeer({ ...launch, env: { ...launch.env, [KEY]: "any" } });
  const token = readFileSync(join(where, "token"), "utf8").trim();
  const api = createApiClient(server.port, token);
  const authorization = { authorization: `Bearer ${token}` };
  const ended = async (id: string, turn: string): Promise<void> => {
    const waited = await inTime("a turn of nomos", api.call("GET", `/sessions/${id}/wait${turn}`));
    const { outcome } = Waited.parse(waited).turn;
    if (outcome !== "completed") throw new Error(`the turn ended: ${outcome}`);
  };
  const resume = (id: string): NomosConversation => ({
    id,
    prompt: async (prompt) => {
      const { turnId } = await api.call("POST", `/sessions/${id}/prompt`, { prompt });
      await ended(id, `?turnId=${String(turnId)}`);
    },
    watch: (onDelta) =>
      follow(`http://127.0.0.1:${server.port}/sessions/${id}/stream`, authorization, (item) => {
        if (item.includes("event: delta\n")) onDelta(item);
      }),
  });
  return {
    pid: server.pid,
    port: server.port,
    token,
    api,
    resume,
    begin: async (prompt) => {
      const { id } = await api.call("POST", "/sessions/agent", { adapter: "nomos", cwd, prompt });
      await ended(String(id), "");
      return resume(String(id));
    },
    [Symbol.asyncDispose]: async () => {
      api.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

function configuration(modelUrl: string): object {
  const bench = {
    api: "openai-chat",
    baseUrl: `${modelUrl}/v1`,
    key: { env: KEY },
    models: { scripted: { window: 200_000, output: 8192 } },
  };
  return { models: { default: "bench/scripted", providers: { bench } } };
}

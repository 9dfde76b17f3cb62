import { join } from "node:path";
import { z } from "zod";
import { recipeOf } from "../../test/agents/recipes.ts";
import { createJsonClient } from "../api-client.ts";
import { peerEnvironment } from "../peers/environment.ts";
import { startPeer } from "../peers/server.ts";
import { type Contender, type Conversation, inTime, type Running, type Setting } from "./contender.ts";
import { follow } from "./server-sent.ts";

const Created = z.object({ id: z.string() });
const Said = z.object({ info: z.looseObject({ error: z.unknown().optional() }) });

/** opencode's server: sessions in one process, driven over HTTP as ours are. */
export function opencodeContender(setting: Setting, installed: string): Contender {
  return { name: "opencode", processPerSession: false, start: () => startOpencode(setting, installed) };
}

async function startOpencode({ modelUrl, folder, cwd }: Setting, installed: string): Promise<Running> {
  const home = folder("opencode-home");
  const bin = join(installed, "node_modules", ".bin", "opencode");
  const server = await startPeer({
    argv: (port) => [bin, "serve", "--pure", "--hostname", "127.0.0.1", "--port", String(port)],
    // Without rules of the person it asks for nothing below its directory.
    env: {
      ...peerEnvironment(home),
      ...(await recipeOf("opencode-print").prepare(home, modelUrl)),
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_SHARE: "1",
    },
    cwd,
    health: "/global/health",
  });
  const client = createJsonClient(server.port, {});
  const conversation = (id: string): Conversation => ({
    prompt: async (text) => {
      const parts = [{ type: "text", text }];
      const answer = await inTime("a turn of opencode", client.call("POST", `/session/${id}/message`, { parts }));
      const { error } = Said.parse(answer).info;
      if (error !== undefined) throw new Error(`opencode: ${JSON.stringify(error)}`);
    },
    watch: (onDelta) =>
      follow(`http://127.0.0.1:${server.port}/event`, {}, (item) => {
        if (item.includes('"message.part.delta"')) onDelta(item);
      }),
  });
  return {
    pid: server.pid,
    begin: async (prompt) => {
      const { id } = Created.parse(await client.call("POST", "/session", {}));
      const begun = conversation(id);
      await begun.prompt(prompt);
      return begun;
    },
    [Symbol.asyncDispose]: async () => {
      client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

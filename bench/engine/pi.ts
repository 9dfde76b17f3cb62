import { once } from "node:events";
import { join } from "node:path";
import { z } from "zod";
import { recipeOf } from "../../test/agents/recipes.ts";
import { peerEnvironment } from "../peers/environment.ts";
import { ended, spawnOwned, stopped } from "../processes.ts";
import { type Contender, type Conversation, inTime, type OnDelta, type Running, type Setting } from "./contender.ts";

const Line = z.looseObject({
  type: z.string(),
  success: z.boolean().optional(),
  error: z.string().optional(),
  assistantMessageEvent: z.looseObject({ type: z.string() }).optional(),
});

/** pi in its rpc mode: one process, one session at a time, which it keeps in a file. */
export function piContender(setting: Setting, installed: string): Contender {
  return { name: "pi", processPerSession: true, start: () => startPi(setting, installed) };
}

async function startPi({ modelUrl, folder, cwd }: Setting, installed: string): Promise<Running> {
  const home = folder("pi-home");
  const env = { ...peerEnvironment(home), ...(await recipeOf("pi").prepare(home, modelUrl)) };
  const program = join(installed, "node_modules", ".bin", "pi");
  const child = spawnOwned([program, "--mode", "rpc"], { env, cwd, stdio: ["pipe", "pipe", "inherit"] });
  const failed = ended(child).then(() => Promise.reject(new Error("pi has ended")));
  failed.catch(() => undefined);
  let onDelta: OnDelta = () => undefined;
  let settled: PromiseWithResolvers<void> | null = null;
  let rest = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const { type, success, error, assistantMessageEvent } = Line.parse(JSON.parse(line));
      if (assistantMessageEvent?.type === "text_delta") onDelta(line);
      if (success === false) settled?.reject(new Error(`pi refused: ${error}`));
      if (type === "agent_settled" || (type === "response" && awaited === "response")) settled?.resolve();
    }
  });
  let awaited: "response" | "settled" = "response";
  const send = async (command: object, until: "response" | "settled"): Promise<void> => {
    settled = Promise.withResolvers();
    awaited = until;
    child.stdin?.write(`${JSON.stringify(command)}\n`);
    await inTime(`pi's ${until}`, Promise.race([settled.promise, failed]));
  };
  const conversation: Conversation = {
    prompt: (message) => send({ type: "prompt", message }, "settled"),
    watch: async (listener) => {
      onDelta = listener;
      return {
        [Symbol.asyncDispose]: async () => {
          onDelta = () => undefined;
        },
      };
    },
  };
  let begun = 0;
  return {
    pid: child.pid ?? 0,
    begin: async (prompt) => {
      begun += 1;
      if (begun > 1) await send({ type: "new_session" }, "response");
      await conversation.prompt(prompt);
      return conversation;
    },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null) return;
      const gone = once(child, "exit");
      child.stdin?.end();
      await Promise.race([gone, stopped(child)]);
    },
  };
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { z } from "zod";
import { FAKE_AGENT } from "./fake-agents.ts";

/** The smallest possible client of the agent: lines to its stdin, lines from its stdout, nothing stored. */
export interface BareAcp extends AsyncDisposable {
  readonly prompt: (text: string) => Promise<TurnTimes>;
}

/** Measured from sending the prompt. */
export interface TurnTimes {
  readonly firstTokenMs: number;
  readonly totalMs: number;
  /** With a daemon in between: when the prompt was durable. */
  readonly ackMs?: number;
}

const Message = z.object({
  id: z.number().optional(),
  method: z.string().optional(),
  result: z.looseObject({ sessionId: z.string().optional() }).optional(),
  params: z.looseObject({ update: z.looseObject({ sessionUpdate: z.string() }).optional() }).optional(),
});

export async function startBareAcp(cwd: string): Promise<BareAcp> {
  const child = spawn(process.execPath, [FAKE_AGENT], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: cwd },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const answers = new Map<number, (result: { readonly sessionId?: string | undefined }) => void>();
  let onChunk = (): void => undefined;
  let asked = 0;
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, method, result, params } = Message.parse(JSON.parse(line));
    if (params?.update?.sessionUpdate === "agent_message_chunk") onChunk();
    if (method === undefined && id !== undefined) answers.get(id)?.(result ?? {});
  });
  const request = (method: string, params: object): Promise<{ readonly sessionId?: string | undefined }> => {
    asked += 1;
    const { promise, resolve } = Promise.withResolvers<{ readonly sessionId?: string | undefined }>();
    answers.set(asked, resolve);
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: asked, method, params })}\n`);
    return promise;
  };
  await request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await request("session/new", { cwd, mcpServers: [] });
  return {
    prompt: async (text) => {
      const startMs = performance.now();
      let firstTokenMs = 0;
      onChunk = () => {
        if (firstTokenMs === 0) firstTokenMs = performance.now() - startMs;
      };
      await request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
      return { firstTokenMs, totalMs: performance.now() - startMs };
    },
    [Symbol.asyncDispose]: async () => {
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
  };
}

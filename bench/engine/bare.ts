import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { Contender, Conversation, OnDelta, Setting } from "./contender.ts";

const Delta = z.looseObject({
  content: z.string().nullish(),
  tool_calls: z
    .array(
      z.looseObject({
        id: z.string().optional(),
        function: z.object({ name: z.string().optional(), arguments: z.string() }),
      }),
    )
    .optional(),
});
const Chunk = z.looseObject({ choices: z.array(z.looseObject({ delta: Delta })) });
const Input = z.object({ path: z.string() });

const SYSTEM = { role: "system", content: "You are an agent." };
const READ = {
  type: "function",
  function: {
    name: "read",
    description: "Reads a file.",
    parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  },
};

/** A loop around fetch in this process that stores nothing: what the model and the sockets alone take. */
export function bareContender({ modelUrl }: Pick<Setting, "modelUrl">): Contender {
  const begin = async (prompt: string): Promise<Conversation> => {
    const begun = conversation(modelUrl);
    await begun.prompt(prompt);
    return begun;
  };
  const start = async () => ({ pid: process.pid, begin, [Symbol.asyncDispose]: async () => undefined });
  return { name: "bare", processPerSession: false, start };
}

function conversation(modelUrl: string): Conversation {
  const messages: object[] = [SYSTEM];
  let onDelta: OnDelta = () => undefined;
  const step = async (): Promise<boolean> => {
    const answer = await ask(modelUrl, messages, (text) => onDelta(text));
    messages.push(answer.message);
    if (answer.call === null) return false;
    const { id, input } = answer.call;
    const content = await readFile(Input.parse(JSON.parse(input)).path, "utf8");
    messages.push({ role: "tool", tool_call_id: id, content });
    return true;
  };
  return {
    prompt: async (content) => {
      messages.push({ role: "user", content });
      while (await step());
    },
    watch: async (listener) => {
      onDelta = listener;
      return {
        [Symbol.asyncDispose]: async () => {
          onDelta = () => undefined;
        },
      };
    },
  };
}

interface Answered {
  readonly message: object;
  readonly call: { readonly id: string; readonly input: string } | null;
}

async function ask(modelUrl: string, messages: readonly object[], onDelta: OnDelta): Promise<Answered> {
  const response = await fetch(`${modelUrl}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "scripted", stream: true, tools: [READ], messages }),
  });
  if (response.status !== 200) throw new Error(await response.text());
  const decoder = new TextDecoder();
  const called = { id: "", name: "", input: "" };
  let content = "";
  let rest = "";
  for await (const bytes of response.body ?? []) {
    const items = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
    rest = items.pop() ?? "";
    for (const item of items) {
      if (item === "data: [DONE]") continue;
      const delta = Chunk.parse(JSON.parse(item.slice("data: ".length))).choices[0]?.delta;
      if (delta?.content) {
        onDelta(delta.content);
        content += delta.content;
      }
      for (const { id = "", function: part } of delta?.tool_calls ?? []) {
        called.id ||= id;
        called.name ||= part.name ?? "";
        called.input += part.arguments;
      }
    }
  }
  if (called.id === "") return { message: { role: "assistant", content }, call: null };
  const { id, name, input } = called;
  const tool_calls = [{ id, type: "function", function: { name, arguments: input } }];
  return { message: { role: "assistant", content: null, tool_calls }, call: { id, input } };
}

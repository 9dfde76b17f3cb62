import { z } from "zod";
import type { Reply, Said } from "./script.ts";
import { PAUSE, pieces, serverSent, type Wire } from "./wire.ts";

const Block = z.looseObject({ type: z.string(), text: z.string().optional(), content: z.unknown().optional() });
const Content = z.union([z.string(), z.array(Block)]);
const Body = z.object({
  model: z.string().default("scripted"),
  stream: z.boolean().default(false),
  messages: z.array(z.object({ role: z.string(), content: Content })).default([]),
  tools: z
    .array(
      z.object({
        name: z.string(),
        input_schema: z.object({ properties: z.record(z.string(), z.unknown()).default({}) }).optional(),
      }),
    )
    .default([]),
});

/** Anthropic's messages: `POST /v1/messages`. */
export const anthropicWire: Wire = {
  matches: (method, path) => method === "POST" && /^\/v1\/messages(\?|$)/.test(path),
  wantsStream: (body) => Body.parse(body).stream,
  read: (body) => {
    const { messages, tools } = Body.parse(body);
    return {
      said: messages.flatMap(({ role, content }) => saidIn(role, content)),
      tools: tools.map(({ name, input_schema }) => ({ name, properties: input_schema?.properties ?? {} })),
    };
  },
  whole: (reply, body, number) => ({
    ...head(body, number),
    content: [reply.is === "text" ? { type: "text", text: reply.text } : toolUse(reply, number, reply.input)],
    stop_reason: reply.is === "text" ? "end_turn" : "tool_use",
  }),
  stream: function* (reply, body, number) {
    yield serverSent("message_start", { message: { ...head(body, number), content: [], stop_reason: null } });
    const block = reply.is === "text" ? { type: "text", text: "" } : toolUse(reply, number, {});
    yield serverSent("content_block_start", { index: 0, content_block: block });
    const delta = (one: object) => serverSent("content_block_delta", { index: 0, delta: one });
    if (reply.is === "call") yield delta({ type: "input_json_delta", partial_json: JSON.stringify(reply.input) });
    else for (const piece of pieces(reply)) yield piece === PAUSE ? PAUSE : delta({ type: "text_delta", text: piece });
    yield serverSent("content_block_stop", { index: 0 });
    const stop_reason = reply.is === "text" ? "end_turn" : "tool_use";
    yield serverSent("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 3 } });
    yield serverSent("message_stop", {});
  },
};

function head(body: unknown, number: number): object {
  const usage = { input_tokens: 5, output_tokens: 1 };
  return { id: `msg_${number}`, type: "message", role: "assistant", model: Body.parse(body).model, usage };
}

function toolUse({ tool }: Extract<Reply, { is: "call" }>, number: number, input: object): object {
  return { type: "tool_use", id: `toolu_${number}`, name: tool.name, input };
}

function saidIn(role: string, content: z.infer<typeof Content>): readonly Said[] {
  const is = role === "assistant" ? "model" : "person";
  if (typeof content === "string") return [{ is, text: content }];
  return content.map((block): Said => {
    if (block.type === "tool_result") return { is: "result", text: resultText(block.content) };
    return block.type === "tool_use" ? { is: "call" } : { is, text: block.text ?? "" };
  });
}

function resultText(content: unknown): string {
  const parsed = Content.safeParse(content);
  if (!parsed.success || typeof parsed.data === "string") return parsed.success ? String(parsed.data) : "";
  return parsed.data.map(({ text }) => text ?? "").join("\n");
}

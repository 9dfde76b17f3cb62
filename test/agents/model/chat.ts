import { z } from "zod";
import type { Reply, Said } from "./script.ts";
import { PAUSE, pieces, type Wire } from "./wire.ts";

const Content = z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]).nullish();
const Body = z.object({
  model: z.string().default("scripted"),
  stream: z.boolean().default(false),
  messages: z
    .array(z.object({ role: z.string(), content: Content, tool_calls: z.array(z.unknown()).nullish() }))
    .default([]),
  tools: z
    .array(
      z.object({
        function: z.object({
          name: z.string(),
          parameters: z.object({ properties: z.record(z.string(), z.unknown()).default({}) }).optional(),
        }),
      }),
    )
    .default([]),
});

const USAGE = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };

/** OpenAI's chat completions, which most other vendors offer too: `POST /v1/chat/completions`. */
export const chatWire: Wire = {
  matches: (method, path) => method === "POST" && path.startsWith("/v1/chat/completions"),
  wantsStream: (body) => Body.parse(body).stream,
  read: (body) => {
    const { messages, tools } = Body.parse(body);
    return {
      said: messages.flatMap(({ role, content, tool_calls }): readonly Said[] => {
        const text = typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("\n");
        if (role === "tool") return [{ is: "result", text }];
        if (role === "assistant")
          return [{ is: "model", text }, ...(tool_calls ?? []).map(() => ({ is: "call" }) as const)];
        return role === "user" ? [{ is: "person", text }] : [];
      }),
      tools: tools.map(({ function: { name, parameters } }) => ({ name, properties: parameters?.properties ?? {} })),
    };
  },
  whole: (reply, body, number) => ({
    ...head("chat.completion", body, number),
    choices: [
      { index: 0, message: { role: "assistant", ...messageOf(reply, number) }, finish_reason: reasonOf(reply) },
    ],
    usage: USAGE,
  }),
  stream: function* (reply, body, number) {
    const chunk = (choices: readonly object[], more: object = {}) =>
      `data: ${JSON.stringify({ ...head("chat.completion.chunk", body, number), choices, ...more })}\n\n`;
    const delta = (one: object, finish_reason: string | null = null) =>
      chunk([{ index: 0, delta: one, finish_reason }]);
    if (reply.is === "call") yield delta({ role: "assistant", ...messageOf(reply, number) });
    else
      for (const piece of pieces(reply)) yield piece === PAUSE ? PAUSE : delta({ role: "assistant", content: piece });
    yield delta({}, reasonOf(reply));
    yield chunk([], { usage: USAGE });
    yield "data: [DONE]\n\n";
  },
};

function head(object: string, body: unknown, number: number): object {
  return { id: `chatcmpl-${number}`, object, created: 1, model: Body.parse(body).model };
}

function messageOf(reply: Reply, number: number): object {
  if (reply.is === "text") return { content: reply.text };
  const called = { name: reply.tool.name, arguments: JSON.stringify(reply.input) };
  return { content: null, tool_calls: [{ index: 0, id: `call_${number}`, type: "function", function: called }] };
}

function reasonOf(reply: Reply): string {
  return reply.is === "text" ? "stop" : "tool_calls";
}

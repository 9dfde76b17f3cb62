import * as z from "zod";
import type { Json } from "../../client/index.ts";
import type { ModelMessage, ModelRequest } from "../options.ts";

const Text = z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]).nullish();
const Message = z.looseObject({
  role: z.string(),
  content: Text,
  tool_call_id: z.string().optional(),
  tool_calls: z
    .array(z.looseObject({ id: z.string(), function: z.looseObject({ name: z.string(), arguments: z.string() }) }))
    .optional(),
});
const ChatRequest = z.looseObject({
  model: z.string(),
  messages: z.array(Message),
  tools: z
    .array(
      z.looseObject({
        function: z.looseObject({
          name: z.string(),
          description: z.string().optional(),
          parameters: z.record(z.string(), z.json()).optional(),
        }),
      }),
    )
    .optional(),
  response_format: z.looseObject({ json_schema: z.looseObject({ schema: z.json() }).optional() }).optional(),
});

/** What the engine's process sends a provider of its own program: a request of the OpenAI chat protocol. */
export function modelRequest(body: string, signal: AbortSignal): ModelRequest {
  const { model, messages, tools = [], response_format: format } = ChatRequest.parse(JSON.parse(body));
  return {
    model,
    signal,
    messages: messages.map(messageOf),
    tools: tools.map(({ function: { name, description = "", parameters = {} } }) => ({
      ...{ name, description },
      input: parameters as { readonly [key: string]: Json },
    })),
    schema: (format?.json_schema?.schema as Json | undefined) ?? null,
  };
}

function messageOf({ role, content, tool_call_id: callId, tool_calls: calls = [] }: z.infer<typeof Message>) {
  const text = typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("");
  const known = role === "system" || role === "assistant" || role === "tool" ? role : "user";
  const message: ModelMessage = {
    role: known,
    text,
    calls: calls.map(({ id, function: { name, arguments: input } }) => ({ id, name, input })),
    callId: callId ?? null,
  };
  return message;
}

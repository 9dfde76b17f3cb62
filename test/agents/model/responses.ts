import { z } from "zod";
import type { Reply, Said } from "./script.ts";
import type { OfferedTool } from "./tool-choice.ts";
import { PAUSE, pieces, serverSent, type Wire } from "./wire.ts";

const Part = z.looseObject({ text: z.string().optional() });
const Item = z.looseObject({
  type: z.string().optional(),
  role: z.string().optional(),
  content: z.union([z.string(), z.array(Part)]).nullish(),
  output: z.union([z.string(), z.array(Part)]).optional(),
});
const Callable = z.looseObject({
  name: z.string(),
  parameters: z.looseObject({ properties: z.record(z.string(), z.unknown()).default({}) }).nullish(),
});
const Tool = z.looseObject({ type: z.string(), name: z.string().optional(), tools: z.array(Callable).optional() });
const Body = z.object({
  model: z.string().default("scripted"),
  stream: z.boolean().default(false),
  input: z.union([z.string().transform(() => []), z.array(Item)]).default([]),
  tools: z.array(Tool).default([]),
});

/** OpenAI's responses: `POST /v1/responses`. */
export const responsesWire: Wire = {
  matches: (method, path) => method === "POST" && path.startsWith("/v1/responses"),
  wantsStream: (body) => Body.parse(body).stream,
  read: (body) => {
    const { input, tools } = Body.parse(body);
    return { said: input.flatMap(saidIn), tools: tools.flatMap(offered) };
  },
  whole: (reply, _body, number) => completed(reply, number),
  stream: function* (reply, _body, number) {
    const item = itemOf(reply, number);
    yield serverSent("response.created", { response: { id: `resp_${number}`, status: "in_progress", output: [] } });
    yield serverSent("response.output_item.added", { output_index: 0, item: { ...item, status: "in_progress" } });
    const where = { item_id: `item_${number}`, output_index: 0, content_index: 0 };
    if (reply.is === "text")
      for (const piece of pieces(reply))
        yield piece === PAUSE ? PAUSE : serverSent("response.output_text.delta", { ...where, delta: piece });
    yield serverSent("response.output_item.done", { output_index: 0, item });
    yield serverSent("response.completed", { response: completed(reply, number) });
  },
};

function completed(reply: Reply, number: number): object {
  const details = { input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } };
  const usage = { input_tokens: 5, output_tokens: 2, total_tokens: 7, ...details };
  return { id: `resp_${number}`, object: "response", status: "completed", output: [itemOf(reply, number)], usage };
}

function itemOf(reply: Reply, number: number): object {
  const id = `item_${number}`;
  const status = "completed";
  if (reply.is === "text") {
    const content = [{ type: "output_text", text: reply.text, annotations: [] }];
    return { type: "message", id, role: "assistant", status, content };
  }
  const { name, namespace } = reply.tool;
  const where = namespace === undefined ? { name } : { name, namespace };
  return {
    type: "function_call",
    id,
    call_id: `call_${number}`,
    ...where,
    arguments: JSON.stringify(reply.input),
    status,
  };
}

function offered(tool: z.infer<typeof Tool>): readonly OfferedTool[] {
  const plain = Callable.safeParse(tool);
  if (tool.type === "function" && plain.success)
    return [{ name: plain.data.name, properties: plain.data.parameters?.properties ?? {} }];
  return (tool.tools ?? []).map(({ name, parameters }) => ({
    name,
    properties: parameters?.properties ?? {},
    ...(tool.name === undefined ? {} : { namespace: tool.name }),
  }));
}

function saidIn({ type, role, content, output }: z.infer<typeof Item>): readonly Said[] {
  if (type?.endsWith("_call_output") === true) return [{ is: "result", text: textOf(output) }];
  if (type?.endsWith("_call") === true) return [{ is: "call" }];
  if (role === "user") return [{ is: "person", text: textOf(content) }];
  return role === "assistant" ? [{ is: "model", text: textOf(content) }] : [];
}

function textOf(content: string | readonly z.infer<typeof Part>[] | null | undefined): string {
  return typeof content === "string" ? content : (content ?? []).map(({ text }) => text ?? "").join("\n");
}

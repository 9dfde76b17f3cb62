import type { Answering, WireUsage } from "./behaviour.ts";
import { callId, EVENT_STREAM, event, type Format, piecesOf } from "./format.ts";

export const responsesFormat: Format = {
  name: "responses",
  matches: (path) => path.endsWith("/responses"),
  contentType: EVENT_STREAM,
  error: ({ type, message, code = type }) =>
    event("error", { sequence_number: 1, error: { type, code, message, param: null } }),
  events: (answer, usage, number) => {
    const response = { id: `resp_${number}`, created_at: 1, model: "scripted" };
    return [
      event("response.created", { response }),
      ...itemsOf(answer, number).flatMap(({ item, events }, output_index) => [
        event("response.output_item.added", { output_index, item: { ...item, status: "in_progress" } }),
        ...events.map((one) => event(one.type, { output_index, ...one })),
        event("response.output_item.done", { output_index, item }),
      ]),
      event(answer.stop === undefined || answer.stop === "stop" ? "response.completed" : "response.incomplete", {
        response: { ...response, ...incomplete(answer), ...(usage === null ? {} : { usage: usageOf(usage) }) },
      }),
    ];
  },
};

interface Item {
  readonly item: { readonly type: string; readonly [field: string]: unknown };
  readonly events: readonly { readonly type: string; readonly [field: string]: unknown }[];
}

function itemsOf({ thought, signature, text, calls = [] }: Answering, number: number): readonly Item[] {
  const items: Item[] = [];
  if (thought !== undefined) items.push(reasoning(thought, signature, `rs_${number}`));
  if (text !== undefined) items.push(message(text, `msg_${number}`));
  for (const [at, call] of calls.entries()) {
    const id = `fc_${number}_${at}`;
    const item = {
      type: "function_call",
      ...{ id, call_id: callId(call, number, at), name: call.name, arguments: call.input, status: "completed" },
    };
    const deltas = piecesOf(call.input).map((delta) => ({
      type: "response.function_call_arguments.delta",
      item_id: id,
      delta,
    }));
    items.push({ item, events: deltas });
  }
  return items;
}

function reasoning(thought: string, signature: string | undefined, id: string): Item {
  const place = { item_id: id, summary_index: 0 };
  return {
    item: {
      type: "reasoning",
      id,
      ...{ summary: [{ type: "summary_text", text: thought }], encrypted_content: signature ?? null },
    },
    events: [
      { type: "response.reasoning_summary_part.added", ...place },
      ...piecesOf(thought).map((delta) => ({ type: "response.reasoning_summary_text.delta", ...place, delta })),
      { type: "response.reasoning_summary_part.done", ...place },
    ],
  };
}

function message(text: string, id: string): Item {
  const place = { item_id: id, content_index: 0 };
  return {
    item: {
      type: "message",
      ...{ id, role: "assistant", status: "completed", content: [{ type: "output_text", text, annotations: [] }] },
    },
    events: piecesOf(text).map((delta) => ({ type: "response.output_text.delta", ...place, delta })),
  };
}

function incomplete({ stop = "stop" }: Answering): object {
  if (stop === "stop") return {};
  return { incomplete_details: { reason: stop === "length" ? "max_output_tokens" : "content_filter" } };
}

function usageOf({ input, output, cacheRead = 0 }: WireUsage): object {
  return {
    input_tokens: input + cacheRead,
    output_tokens: output,
    total_tokens: input + cacheRead + output,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens_details: { reasoning_tokens: 0 },
  };
}

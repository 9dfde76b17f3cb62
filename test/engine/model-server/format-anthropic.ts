import type { Answering, WireUsage } from "./behaviour.ts";
import { callId, EVENT_STREAM, event, type Format, piecesOf } from "./format.ts";

export const anthropicFormat: Format = {
  name: "anthropic",
  matches: (path) => path.endsWith("/messages"),
  contentType: EVENT_STREAM,
  error: ({ type, message }) => event("error", { error: { type, message } }),
  events: (answer, usage, number) => [
    event("message_start", { message: { ...HEAD, id: `msg_${number}`, usage: usageOf(usage, 1) } }),
    event("ping", {}),
    ...blocksOf(answer, number).flatMap(({ start, deltas }, index) => [
      event("content_block_start", { index, content_block: start }),
      ...deltas.map((delta) => event("content_block_delta", { index, delta })),
      event("content_block_stop", { index }),
    ]),
    event("message_delta", {
      delta: { stop_reason: stopOf(answer), stop_sequence: null },
      usage: usageOf(usage, usage?.output ?? 0),
    }),
    event("message_stop", {}),
  ],
};

const HEAD = { type: "message", role: "assistant", model: "scripted", content: [], stop_reason: null };

interface Block {
  readonly start: object;
  readonly deltas: readonly object[];
}

function blocksOf({ thought, signature, text, calls = [] }: Answering, number: number): readonly Block[] {
  const blocks: Block[] = [];
  if (thought !== undefined)
    blocks.push({
      start: { type: "thinking", thinking: "", signature: "" },
      deltas: [
        ...piecesOf(thought).map((piece) => ({ type: "thinking_delta", thinking: piece })),
        ...(signature === undefined ? [] : [{ type: "signature_delta", signature }]),
      ],
    });
  if (text !== undefined)
    blocks.push({
      start: { type: "text", text: "" },
      deltas: piecesOf(text).map((piece) => ({ type: "text_delta", text: piece })),
    });
  for (const [at, call] of calls.entries())
    blocks.push({
      start: { type: "tool_use", id: callId(call, number, at), name: call.name, input: {} },
      deltas: piecesOf(call.input).map((piece) => ({ type: "input_json_delta", partial_json: piece })),
    });
  return blocks;
}

function stopOf({ stop = "stop", calls = [] }: Answering): string {
  if (stop === "length") return "max_tokens";
  if (stop === "refused") return "refusal";
  return calls.length > 0 ? "tool_use" : "end_turn";
}

function usageOf(usage: WireUsage | null, output: number): object {
  return {
    input_tokens: usage?.input ?? 0,
    output_tokens: output,
    cache_read_input_tokens: usage?.cacheRead ?? 0,
    cache_creation_input_tokens: usage?.cacheWrite ?? 0,
  };
}

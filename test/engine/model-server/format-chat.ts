import type { Answering, WireUsage } from "./behaviour.ts";
import { callId, data, EVENT_STREAM, type Format, piecesOf } from "./format.ts";

/** OpenAI's chat completions, as most vendors and Mistral offer them too. */
export const chatFormat: Format = {
  name: "chat",
  matches: (path) => path.endsWith("/chat/completions"),
  contentType: EVENT_STREAM,
  error: (error) => data({ error }),
  events: (answer, usage, number) => {
    const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) =>
      data({ ...HEAD, id: `chatcmpl-${number}`, choices: [{ index: 0, delta, finish_reason }], ...more });
    const { thought = "", text = "", calls = [] } = answer;
    return [
      chunk({ role: "assistant", content: "" }),
      ...piecesOf(thought).map((piece) => chunk({ reasoning_content: piece })),
      ...piecesOf(text).map((piece) => chunk({ content: piece })),
      ...calls.flatMap((call, index) => [
        chunk({
          tool_calls: [
            { index, id: callId(call, number, index), type: "function", function: { name: call.name, arguments: "" } },
          ],
        }),
        ...piecesOf(call.input).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
      // Mistral's package wants a choice in every chunk, so the usage comes with the last one.
      chunk({}, stopOf(answer), usage === null ? {} : { usage: usageOf(usage) }),
      "data: [DONE]\n\n",
    ];
  },
};

const HEAD = { object: "chat.completion.chunk", created: 1, model: "scripted" };

function stopOf({ stop = "stop", calls = [] }: Answering): string {
  if (stop !== "stop") return stop === "length" ? "length" : "content_filter";
  return calls.length > 0 ? "tool_calls" : "stop";
}

function usageOf({ input, output, cacheRead = 0 }: WireUsage): object {
  return {
    prompt_tokens: input + cacheRead,
    completion_tokens: output,
    total_tokens: input + cacheRead + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
  };
}

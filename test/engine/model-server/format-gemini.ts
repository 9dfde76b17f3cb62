import type { Answering, WireUsage } from "./behaviour.ts";
import { EVENT_STREAM, type Format, piecesOf } from "./format.ts";

export const geminiFormat: Format = {
  name: "gemini",
  matches: (path) => path.includes(":streamGenerateContent"),
  contentType: EVENT_STREAM,
  error: ({ type, message, code }) =>
    line({ error: { code: typeof code === "number" ? code : null, message, status: type } }),
  events: (answer, usage, number) => {
    const { thought = "", signature, text = "", calls = [] } = answer;
    const chunk = (parts: readonly object[], more: object = {}) =>
      line({ responseId: `g${number}`, candidates: [{ index: 0, content: { role: "model", parts }, ...more }] });
    const proof = signature === undefined ? {} : { thoughtSignature: signature };
    return [
      ...piecesOf(thought).map((piece) => chunk([{ text: piece, thought: true }])),
      ...piecesOf(text).map((piece) => chunk([{ text: piece }])),
      ...calls.map(({ name, input }, at) =>
        chunk([{ functionCall: { name, args: JSON.parse(input) }, ...(at === 0 ? proof : {}) }]),
      ),
      line({
        responseId: `g${number}`,
        candidates: [{ index: 0, content: { role: "model", parts: [] }, finishReason: stopOf(answer) }],
        ...(usage === null ? {} : { usageMetadata: usageOf(usage) }),
      }),
    ];
  },
};

function line(value: object): string {
  return `data: ${JSON.stringify(value)}\r\n\r\n`;
}

function stopOf({ stop = "stop" }: Answering): string {
  return { stop: "STOP", length: "MAX_TOKENS", refused: "SAFETY" }[stop];
}

function usageOf({ input, output, cacheRead = 0 }: WireUsage): object {
  return {
    promptTokenCount: input + cacheRead,
    candidatesTokenCount: output,
    cachedContentTokenCount: cacheRead,
    totalTokenCount: input + cacheRead + output,
  };
}

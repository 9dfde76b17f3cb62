import { crc32 } from "node:zlib";
import type { Answering, WireUsage } from "./behaviour.ts";
import { callId, type Format, piecesOf } from "./format.ts";

/** Amazon's converse stream: binary frames instead of lines. */
export const bedrockFormat: Format = {
  name: "bedrock",
  matches: (path) => path.endsWith("/converse-stream"),
  contentType: "application/vnd.amazon.eventstream",
  error: ({ type, message }) => frame("exception", type, { message }),
  events: (answer, usage, number) => [
    frame("event", "messageStart", { role: "assistant" }),
    ...blocksOf(answer, number).flatMap(({ start, deltas }, contentBlockIndex) => [
      ...(start === null ? [] : [frame("event", "contentBlockStart", { contentBlockIndex, start })]),
      ...deltas.map((delta) => frame("event", "contentBlockDelta", { contentBlockIndex, delta })),
      frame("event", "contentBlockStop", { contentBlockIndex }),
    ]),
    frame("event", "messageStop", { stopReason: stopOf(answer) }),
    frame("event", "metadata", { metrics: { latencyMs: 1 }, ...(usage === null ? {} : { usage: usageOf(usage) }) }),
  ],
};

interface Block {
  readonly start: object | null;
  readonly deltas: readonly object[];
}

function blocksOf({ thought, signature, text, calls = [] }: Answering, number: number): readonly Block[] {
  const blocks: Block[] = [];
  if (thought !== undefined) {
    const deltas = piecesOf(thought).map((piece) => ({ reasoningContent: { text: piece } }));
    const proof = signature === undefined ? [] : [{ reasoningContent: { signature } }];
    blocks.push({ start: null, deltas: [...deltas, ...proof] });
  }
  if (text !== undefined) blocks.push({ start: null, deltas: piecesOf(text).map((piece) => ({ text: piece })) });
  for (const [at, call] of calls.entries())
    blocks.push({
      start: { toolUse: { toolUseId: callId(call, number, at), name: call.name } },
      deltas: piecesOf(call.input).map((piece) => ({ toolUse: { input: piece } })),
    });
  return blocks;
}

function stopOf({ stop = "stop", calls = [] }: Answering): string {
  if (stop === "length") return "max_tokens";
  if (stop === "refused") return "content_filtered";
  return calls.length > 0 ? "tool_use" : "end_turn";
}

function usageOf({ input, output, cacheRead = 0, cacheWrite = 0 }: WireUsage): object {
  return {
    inputTokens: input,
    outputTokens: output,
    totalTokens: input + output,
    cacheReadInputTokens: cacheRead,
    cacheWriteInputTokens: cacheWrite,
  };
}

/** Length, length of the headers, checksum, headers, payload, checksum. */
function frame(messageType: "event" | "exception", type: string, payload: object): Uint8Array {
  const headers = Buffer.concat([
    header(":message-type", messageType),
    header(messageType === "event" ? ":event-type" : ":exception-type", type),
    header(":content-type", "application/json"),
  ]);
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(headers.length + body.length + 16, 0);
  prelude.writeUInt32BE(headers.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, headers, body]);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(message));
  return Buffer.concat([message, check]);
}

const TEXT_HEADER = 7;

function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([TEXT_HEADER]),
    length,
    Buffer.from(value),
  ]);
}

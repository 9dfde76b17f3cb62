import * as z from "zod";
import { type PrintSign, type ReadLine, said, toolCalled, toolEnded, unknown, unread, used } from "./print-sign.ts";

/** `claude -p --output-format stream-json --verbose`. */
export const readClaude: ReadLine = (line) => {
  const parsed = Line.safeParse(line);
  if (!parsed.success) return unread(line);
  const { type, subtype, session_id: nativeId, message, usage, total_cost_usd: cost, is_error: isError } = parsed.data;
  // In some versions the last line has no type.
  const kind = type ?? (usage === undefined ? "unnamed" : "result");
  switch (kind) {
    case "system":
      if (subtype === "init") return nativeId === undefined ? [] : [{ sign: "session", nativeId }];
      return SILENT.includes(subtype ?? "") ? [] : [unknown(`system/${subtype}`, line)];
    case "assistant":
      return blocksOf(message).flatMap((block) => readBlock(block, message?.id ?? null));
    case "user":
      // An echo of our own prompt.
      return blocksOf(message).flatMap((block) => (block.type === "text" ? [] : readBlock(block, null)));
    case "result": {
      const spent = used(usage?.input_tokens ?? null, usage?.output_tokens ?? null, cost ?? null, {
        cacheRead: usage?.cache_read_input_tokens ?? null,
        cacheWrite: usage?.cache_creation_input_tokens ?? null,
      });
      if (isError !== true) return [...(nativeId === undefined ? [] : [{ sign: "session" as const, nativeId }]), spent];
      // It repeats the id it was asked for, also an unknown one.
      const why = parsed.data.result ?? parsed.data.errors?.join("; ") ?? subtype ?? "it failed";
      return [spent, { sign: "failed", message: why }];
    }
    case "stream_event":
    case "rate_limit_event":
      return [];
    default:
      return [unknown(kind, line)];
  }
};

/** For screens only, or repeated in a tool's result. */
const SILENT: readonly string[] = ["status", "permission_denied"];

function blocksOf(message: z.infer<typeof Message> | undefined): readonly z.infer<typeof Block>[] {
  return Array.isArray(message?.content) ? message.content : [];
}

function readBlock(block: z.infer<typeof Block>, messageId: string | null): readonly PrintSign[] {
  switch (block.type) {
    case "text":
      return said(block.text ?? "", "assistant", messageId);
    case "thinking":
      return said(block.thinking ?? "", "thought", messageId);
    case "tool_use":
      return [toolCalled(block.id ?? "", block.name ?? "tool", block.input)];
    case "tool_result": {
      const { content } = block;
      const text = typeof content === "string" ? content : content === undefined ? null : JSON.stringify(content);
      return [toolEnded(block.tool_use_id ?? "", block.is_error === true, text)];
    }
    default:
      return [unknown(block.type, block)];
  }
}

const Block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  thinking: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
  tool_use_id: z.string().optional(),
  content: z.unknown().optional(),
  is_error: z.boolean().optional(),
});
const Message = z.object({ id: z.string().optional(), content: z.union([z.string(), z.array(Block)]) });
const Line = z.object({
  type: z.string().optional(),
  subtype: z.string().optional(),
  session_id: z.string().optional(),
  message: Message.optional(),
  usage: z
    .object({
      input_tokens: z.number(),
      output_tokens: z.number(),
      cache_read_input_tokens: z.number().nullish().catch(null),
      cache_creation_input_tokens: z.number().nullish().catch(null),
    })
    .optional()
    .catch(undefined),
  total_cost_usd: z.number().optional().catch(undefined),
  is_error: z.boolean().optional().catch(undefined),
  result: z.string().optional().catch(undefined),
  errors: z.array(z.string()).optional().catch(undefined),
});

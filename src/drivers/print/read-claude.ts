import { z } from "zod";
import { type PrintSign, type ReadLine, said, toolCalled, toolEnded, unknown, used } from "./print-sign.ts";

/** `claude -p --output-format stream-json --verbose`. */
export const readClaude: ReadLine = (line) => {
  const parsed = Line.safeParse(line);
  if (!parsed.success) return [unknown("unnamed", line)];
  const { type, subtype, session_id: nativeId, message, usage, total_cost_usd: cost, is_error: isError } = parsed.data;
  // Its last line has had no type in some versions.
  const kind = type ?? (usage === undefined ? "unnamed" : "result");
  const content = Array.isArray(message?.content) ? message.content : [];
  switch (kind) {
    case "system":
      return subtype === "init" && nativeId !== undefined ? [{ sign: "session", nativeId }] : [];
    case "assistant":
    case "user":
      return content.flatMap(readBlock);
    case "result": {
      const failed: readonly PrintSign[] =
        isError === true ? [{ sign: "failed", message: parsed.data.result ?? subtype ?? "it failed" }] : [];
      const resumed: readonly PrintSign[] = nativeId === undefined ? [] : [{ sign: "session", nativeId }];
      return [...resumed, used(usage?.input_tokens ?? null, usage?.output_tokens ?? null, cost ?? null), ...failed];
    }
    case "stream_event":
    case "rate_limit_event":
      return [];
    default:
      return [unknown(kind, line)];
  }
};

function readBlock(block: z.infer<typeof Block>): readonly PrintSign[] {
  switch (block.type) {
    case "text":
      return said(block.text ?? "");
    case "thinking":
      return said(block.thinking ?? "", "thought");
    case "tool_use":
      return [toolCalled(block.id ?? "", block.name ?? "tool", block.input)];
    case "tool_result": {
      const { content } = block;
      const text = typeof content === "string" ? content : content === undefined ? null : JSON.stringify(content);
      return [toolEnded(block.tool_use_id ?? "", block.is_error === true, text)];
    }
    default:
      return [];
  }
}

const Block = z.object({
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
const Line = z.object({
  type: z.string().optional(),
  subtype: z.string().optional(),
  session_id: z.string().optional(),
  message: z
    .object({ content: z.union([z.string(), z.array(Block)]) })
    .optional()
    .catch(undefined),
  usage: z.object({ input_tokens: z.number(), output_tokens: z.number() }).optional().catch(undefined),
  total_cost_usd: z.number().optional().catch(undefined),
  is_error: z.boolean().optional().catch(undefined),
  result: z.string().optional().catch(undefined),
});

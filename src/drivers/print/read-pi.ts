import * as z from "zod";
import { type PrintSign, type ReadLine, said, toolCalled, toolEnded, unknown, unread, used } from "./print-sign.ts";

/** `pi -p --mode json`. */
export const readPi: ReadLine = (line) => {
  const parsed = Line.safeParse(line);
  if (!parsed.success) return unread(line);
  const {
    type,
    id,
    message,
    toolCallId = "",
    toolName = "tool",
    args,
    result,
    isError,
    assistantMessageEvent,
  } = parsed.data;
  switch (type) {
    case "session":
      return id === undefined ? [] : [{ sign: "session", nativeId: id }];
    case "message_update": {
      const { type: kind, delta = "" } = assistantMessageEvent ?? { type: "" };
      if (kind === "text_delta") return said(delta);
      return kind === "thinking_delta" ? said(delta, "thought") : [];
    }
    case "message_end": {
      if (message?.role !== "assistant") return [];
      const failed: readonly PrintSign[] =
        message.stopReason === "error" ? [{ sign: "failed", message: message.errorMessage ?? "it failed" }] : [];
      const { usage } = message;
      return [
        used(usage?.input ?? null, usage?.output ?? null, usage?.cost?.total ?? null, {
          cacheRead: usage?.cacheRead ?? null,
          cacheWrite: usage?.cacheWrite ?? null,
        }),
        ...failed,
      ];
    }
    case "tool_execution_start":
      return [toolCalled(toolCallId, toolName, args)];
    case "tool_execution_end": {
      const text = (result?.content ?? []).flatMap((block) => block.text ?? []).join("\n");
      return [toolEnded(toolCallId, isError === true, text)];
    }
    default:
      return SILENT.includes(type) ? [] : [unknown(type, line)];
  }
};

const SILENT: readonly string[] = [
  "agent_start",
  "agent_end",
  "agent_settled",
  "turn_start",
  "turn_end",
  "message_start",
  "tool_execution_update",
];

const Line = z.object({
  type: z.string(),
  id: z.string().optional(),
  message: z
    .object({
      role: z.string(),
      stopReason: z.string().optional(),
      errorMessage: z.string().optional(),
      usage: z
        .object({
          input: z.number(),
          output: z.number(),
          cacheRead: z.number().nullish().catch(null),
          cacheWrite: z.number().nullish().catch(null),
          cost: z.object({ total: z.number() }).optional().catch(undefined),
        })
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
  toolCallId: z.string().optional(),
  toolName: z.string().optional(),
  args: z.unknown().optional(),
  result: z
    .object({ content: z.array(z.object({ text: z.string().optional() })) })
    .optional()
    .catch(undefined),
  isError: z.boolean().optional(),
  assistantMessageEvent: z.object({ type: z.string(), delta: z.string().optional() }).optional().catch(undefined),
});

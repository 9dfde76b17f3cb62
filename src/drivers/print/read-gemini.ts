import * as z from "zod";
import {
  type PrintSign,
  type ReadLine,
  said,
  toolCalled,
  toolEnded,
  unknown,
  unread,
  updated,
  used,
} from "./print-sign.ts";

/** `gemini -o stream-json`. */
export const readGemini: ReadLine = (line) => {
  const parsed = Line.safeParse(line);
  if (!parsed.success) return unread(line);
  const { type, session_id: nativeId, role, content, status, stats, error, message, severity } = parsed.data;
  switch (type) {
    case "init":
      return nativeId === undefined ? [] : [{ sign: "session", nativeId }];
    case "message":
      return role === "assistant" ? said(content ?? "") : [];
    case "tool_use":
      return [toolCalled(parsed.data.tool_id ?? "", parsed.data.tool_name ?? "tool", parsed.data.parameters)];
    case "tool_result":
      return [toolEnded(parsed.data.tool_id ?? "", status !== "success", parsed.data.output ?? error?.message ?? null)];
    case "error":
      return [
        updated({
          is: "notice",
          severity: severity === "warning" ? "warning" : "error",
          title: message ?? "error",
          text: "",
        }),
      ];
    case "result": {
      const failed: readonly PrintSign[] =
        status === "success" ? [] : [{ sign: "failed", message: error?.message ?? "it failed" }];
      return [used(stats?.input_tokens ?? null, stats?.output_tokens ?? null), ...failed];
    }
    default:
      return [unknown(type, line)];
  }
};

const Line = z.object({
  type: z.string(),
  session_id: z.string().optional(),
  role: z.string().optional(),
  content: z.string().optional(),
  tool_id: z.string().optional(),
  tool_name: z.string().optional(),
  parameters: z.unknown().optional(),
  output: z.string().optional(),
  status: z.string().optional(),
  severity: z.string().optional(),
  message: z.string().optional(),
  error: z.object({ message: z.string() }).optional().catch(undefined),
  stats: z.object({ input_tokens: z.number(), output_tokens: z.number() }).optional().catch(undefined),
});

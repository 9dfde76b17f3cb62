import * as z from "zod";
import { type PrintSign, type ReadLine, said, toolCalled, toolEnded, unknown, unread, used } from "./print-sign.ts";

/** `opencode run --format json`. */
export const readOpencode: ReadLine = (line) => {
  const parsed = Line.safeParse(line);
  if (!parsed.success) return unread(line);
  const { type, sessionID: nativeId, part, error } = parsed.data;
  const session: readonly PrintSign[] = nativeId === undefined ? [] : [{ sign: "session", nativeId }];
  switch (type) {
    case "text":
      return [...session, ...said(part?.text ?? "", "assistant", part?.id)];
    case "reasoning":
      return [...session, ...said(part?.text ?? "", "thought", part?.id)];
    case "tool_use":
      return part === undefined ? unread(line) : [...session, ...tool(part)];
    case "step_finish":
      return [
        ...session,
        used(part?.tokens?.input ?? null, part?.tokens?.output ?? null, part?.cost ?? null, {
          cacheRead: part?.tokens?.cache?.read ?? null,
          cacheWrite: part?.tokens?.cache?.write ?? null,
        }),
      ];
    case "step_start":
      return session;
    case "error":
      return [...session, { sign: "failed", message: JSON.stringify(error ?? "it failed").slice(0, 2000) }];
    default:
      return [...session, unknown(type, line)];
  }
};

function tool({ callID = "", tool: name = "tool", state }: z.infer<typeof Part>): readonly PrintSign[] {
  const begun = toolCalled(callID, name, state?.input, state?.title || name);
  if (state?.status !== "completed" && state?.status !== "error") return [begun];
  return [begun, toolEnded(callID, state.status === "error", state.output ?? state.error ?? null)];
}

const Part = z.object({
  id: z.string().optional(),
  text: z.string().optional(),
  tool: z.string().optional(),
  callID: z.string().optional(),
  state: z
    .object({
      status: z.string(),
      title: z.string().optional(),
      input: z.unknown().optional(),
      output: z.string().optional(),
      error: z.string().optional(),
    })
    .optional(),
  tokens: z
    .object({
      input: z.number(),
      output: z.number(),
      cache: z.object({ read: z.number(), write: z.number() }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  cost: z.number().optional().catch(undefined),
});
const Line = z.object({
  type: z.string(),
  sessionID: z.string().optional(),
  part: Part.optional(),
  error: z.unknown().optional(),
});

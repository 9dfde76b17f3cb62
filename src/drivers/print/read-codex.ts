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

/** `codex exec --json`. */
export const readCodex: ReadLine = (line) => {
  const parsed = Line.safeParse(line);
  if (!parsed.success) return unread(line);
  const { type, thread_id: nativeId, item, usage, error, message } = parsed.data;
  switch (type) {
    case "thread.started":
      return nativeId === undefined ? [] : [{ sign: "session", nativeId }];
    case "item.started":
    case "item.updated":
      if (item?.type === "todo_list") return [planned(item)];
      return item === undefined || SPOKEN.includes(item.type) ? [] : [called(item)];
    case "item.completed":
      return item === undefined ? unread(line) : completed(item);
    case "turn.completed":
      return [
        used(usage?.input_tokens ?? null, usage?.output_tokens ?? null, null, {
          cacheRead: usage?.cached_input_tokens ?? null,
          isInputWhole: true,
        }),
      ];
    case "turn.failed":
      return [{ sign: "failed", message: error?.message ?? "the turn failed" }];
    case "error":
      return [updated({ is: "notice", severity: "error", title: message ?? "error", text: "" })];
    case "turn.started":
      return [];
    default:
      return [unknown(type, line)];
  }
};

const SPOKEN: readonly string[] = ["agent_message", "reasoning", "error"];

function called(item: Item): PrintSign {
  return toolCalled(item.id, item.type, item, item.command ?? item.tool ?? item.query ?? item.type);
}

function planned({ items = [] }: Item): PrintSign {
  const status = (done: boolean) => (done ? ("done" as const) : ("open" as const));
  return updated({ is: "plan", items: items.map(({ text, completed: done }) => ({ text, status: status(done) })) });
}

function completed(item: Item): readonly PrintSign[] {
  switch (item.type) {
    case "agent_message":
      return said(item.text ?? "", "assistant", item.id);
    case "reasoning":
      return said(item.text ?? "", "thought", item.id);
    case "error":
      return [updated({ is: "notice", severity: "warning", title: item.message ?? "error", text: "" })];
    case "todo_list":
      return [planned(item)];
    default: {
      const failed = item.status === "failed" || (item.exit_code ?? 0) !== 0;
      return [called(item), toolEnded(item.id, failed, item.aggregated_output ?? null)];
    }
  }
}

const Item = z.looseObject({
  id: z.string(),
  type: z.string(),
  text: z.string().optional(),
  message: z.string().optional(),
  command: z.string().optional(),
  tool: z.string().optional(),
  query: z.string().optional(),
  status: z.string().optional(),
  exit_code: z.number().nullish(),
  aggregated_output: z.string().optional(),
  items: z.array(z.object({ text: z.string(), completed: z.boolean() })).optional(),
});
type Item = z.infer<typeof Item>;
const Line = z.object({
  type: z.string(),
  thread_id: z.string().optional(),
  item: Item.optional(),
  usage: z
    .object({
      input_tokens: z.number(),
      cached_input_tokens: z.number().nullish().catch(null),
      output_tokens: z.number(),
    })
    .optional()
    .catch(undefined),
  error: z.object({ message: z.string() }).optional().catch(undefined),
  message: z.string().optional(),
});

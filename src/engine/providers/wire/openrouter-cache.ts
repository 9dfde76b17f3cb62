import { z } from "zod";

const MARK = { cache_control: { type: "ephemeral" } };
const Messages = z.array(z.looseObject({ role: z.string(), content: z.unknown() }));

/** OpenRouter passes Anthropic's cache marks on when they stand at a text part. */
export function markForOpenRouter(body: Record<string, unknown>): Record<string, unknown> {
  const read = Messages.safeParse(body["messages"]);
  if (!read.success) return body;
  const messages = read.data;
  const inputs = messages.flatMap(({ role, content }, at) => (role !== "assistant" && isText(content) ? [at] : []));
  // The system prompt, and the ends of this request and of the one before it.
  const marked = new Set([inputs[0], inputs.at(-1), inputs.findLast((at) => at < lastAnswer(messages))]);
  return {
    ...body,
    messages: messages.map((message, at) =>
      marked.has(at) ? { ...message, content: [{ type: "text", text: message.content, ...MARK }] } : message,
    ),
  };
}

function lastAnswer(messages: readonly { readonly role: string }[]): number {
  return messages.findLastIndex(({ role }) => role === "assistant");
}

function isText(content: unknown): boolean {
  return typeof content === "string" && content !== "";
}

import * as z from "zod";
import { memberOf } from "../../kernel/index.ts";
import type { ToolChange, ToolContent, Update } from "../update.ts";

export function readUpdate(update: unknown): Update {
  const kind = kindOf(update);
  const other: Update = { is: "other", kind, update };
  switch (kind) {
    case "agent_message_chunk":
    case "agent_thought_chunk": {
      const chunk = Chunk.safeParse(update);
      if (!chunk.success) return other;
      const role = kind === "agent_message_chunk" ? "assistant" : "thought";
      return { is: "text", role, messageId: chunk.data.messageId ?? null, text: textOf(chunk.data.content) };
    }
    case "agent_message":
    case "agent_thought": {
      const whole = Whole.safeParse(update);
      if (!whole.success) return other;
      const role = kind === "agent_message" ? "assistant" : "thought";
      const { messageId, content } = whole.data;
      return { is: "text", role, messageId, text: (content ?? []).map(textOf).join(""), whole: true };
    }
    case "state_update": {
      const state = State.safeParse(update);
      return state.success
        ? { is: "state", state: state.data.state, stopReason: state.data.stopReason ?? null, usage: state.data.usage }
        : other;
    }
    case "tool_call_content_chunk": {
      const chunk = ToolChunk.safeParse(update);
      const call = chunk.success
        ? readToolCall({ toolCallId: chunk.data.toolCallId, content: [chunk.data.content] })
        : null;
      return call === null ? other : { is: "tool", call: { ...call, appends: true } };
    }
    case "tool_call":
    case "tool_call_update": {
      const call = readToolCall(update);
      return call === null ? other : { is: "tool", call };
    }
    case "plan":
    case "plan_update": {
      const plan = Plan.safeParse(kind === "plan" ? update : memberOf(update, "plan"));
      if (!plan.success) return other;
      return {
        is: "plan",
        items: plan.data.entries.map((entry) => ({ text: entry.content, status: STATUS[entry.status] })),
      };
    }
    case "usage_update": {
      const usage = Usage.safeParse(update);
      if (!usage.success) return other;
      return { is: "usage", used: usage.data.used, size: usage.data.size, cost: usage.data.cost ?? null };
    }
    case "notice": {
      const notice = Notice.safeParse(update);
      if (!notice.success) return other;
      const { severity, title, description } = notice.data;
      return { is: "notice", severity, title, text: description ?? "" };
    }
    case "available_commands_update":
    case "current_mode_update":
    case "config_option_update":
      return { is: "offer", kind, update };
    case "user_message":
    case "user_message_chunk":
    case "session_info_update":
      return { is: "nothing" };
    default:
      return other;
  }
}

/** What an answer to a prompt says about the tokens of its turn; null when it says nothing. */
export function readUsed(answer: unknown): Update | null {
  const told = Tokens.safeParse(memberOf(answer, "usage"));
  if (!told.success) return null;
  const {
    inputTokens: input,
    outputTokens,
    cachedReadTokens,
    cachedWriteTokens,
    thoughtTokens,
    totalTokens,
  } = told.data;
  const [cacheRead, cacheWrite, thoughts] = [cachedReadTokens ?? 0, cachedWriteTokens ?? 0, thoughtTokens ?? 0];
  // Some agents count what was thought among the output, others beside it.
  const isBeside = totalTokens === input + outputTokens + cacheRead + cacheWrite + thoughts;
  return { is: "tokens", input, output: outputTokens + (isBeside ? thoughts : 0), cacheRead, cacheWrite, cost: null };
}

/** Also used for the tool call of a permission request. */
export function readToolCall(update: unknown): ToolChange | null {
  const parsed = Tool.safeParse(update);
  if (!parsed.success) return null;
  const { toolCallId, title, kind, status, content, locations, rawInput, rawOutput } = parsed.data;
  return {
    callId: toolCallId,
    title: title ?? null,
    kind: kind ?? null,
    status: status ?? null,
    content: content == null ? null : content.flatMap(readContent),
    places: locations == null ? null : locations.map(({ path, line }) => ({ path, line: line ?? null })),
    input: rawInput,
    output: rawOutput,
  };
}

function readContent(item: unknown): readonly ToolContent[] {
  const diff = Diff.safeParse(item);
  if (diff.success)
    return [{ is: "diff", path: diff.data.path, before: diff.data.oldText ?? null, after: diff.data.newText }];
  const changes = Changes.safeParse(item);
  if (changes.success) return [{ is: "text", text: changes.data.patch?.text ?? JSON.stringify(changes.data.changes) }];
  // A client's terminal would be shown live; we offer none, and the output comes as `rawOutput`.
  if (Terminal.safeParse(item).success) return [];
  const content = Content.safeParse(item);
  return content.success
    ? [{ is: "text", text: textOf(content.data.content) }]
    : [{ is: "text", text: JSON.stringify(item) }];
}

function textOf(block: unknown): string {
  const text = Text.safeParse(block);
  if (text.success) return text.data.text;
  const kept = JSON.stringify(block) ?? "";
  return kept.length <= BLOCK_SHOWN_CHARS ? kept : `${kept.slice(0, BLOCK_SHOWN_CHARS)}…`;
}

function kindOf(update: unknown): string {
  const kind = memberOf(update, "sessionUpdate");
  return typeof kind === "string" ? kind.slice(0, KIND_CHARS) : "unnamed";
}

const KIND_CHARS = 100;
const BLOCK_SHOWN_CHARS = 2000;
const STATUS = { pending: "open", in_progress: "active", completed: "done" } as const;

const Text = z.object({ type: z.literal("text"), text: z.string() });
const Whole = z.object({ messageId: z.string(), content: z.array(z.unknown()).nullish() });
const State = z.object({
  state: z.string(),
  stopReason: z.string().nullish().catch(null),
  usage: z.unknown().optional(),
});
const ToolChunk = z.object({ toolCallId: z.string(), content: z.unknown() });
const Chunk = z.object({ content: z.looseObject({ type: z.string() }), messageId: z.string().nullish() });
const Diff = z.object({
  type: z.literal("diff"),
  path: z.string(),
  oldText: z.string().nullish(),
  newText: z.string(),
});
/** A diff of version 2: the changed places, and possibly a patch. */
const Changes = z.object({
  type: z.literal("diff"),
  changes: z.array(z.looseObject({ operation: z.string() })),
  patch: z.object({ text: z.string() }).nullish().catch(null),
});
const Terminal = z.object({ type: z.literal("terminal") });
const Content = z.object({ type: z.literal("content"), content: z.unknown() });
const Tool = z.object({
  toolCallId: z.string().min(1).max(500),
  title: z.string().nullish().catch(null),
  kind: z.string().nullish().catch(null),
  status: z
    .enum(["pending", "in_progress", "paused", "completed", "failed", "cancelled"])
    .transform((status) => (status === "cancelled" ? "failed" : status === "paused" ? "in_progress" : status))
    .nullish()
    .catch(null),
  content: z.array(z.unknown()).nullish().catch(null),
  locations: z
    .array(z.object({ path: z.string(), line: z.number().nullish().catch(null) }))
    .nullish()
    .catch(null),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
});
const Plan = z.object({
  entries: z.array(z.object({ content: z.string(), status: z.enum(["pending", "in_progress", "completed"]) })),
});
const Usage = z.object({
  used: z.number(),
  size: z.number(),
  cost: z.object({ amount: z.number(), currency: z.string() }).nullish().catch(null),
});
const Tokens = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  totalTokens: z.number().nullish().catch(null),
  thoughtTokens: z.number().nullish().catch(null),
  cachedReadTokens: z.number().nullish().catch(null),
  cachedWriteTokens: z.number().nullish().catch(null),
});
const Notice = z.object({
  severity: z.enum(["info", "warning", "error"]).catch("info"),
  title: z.string(),
  description: z.string().nullish().catch(null),
});

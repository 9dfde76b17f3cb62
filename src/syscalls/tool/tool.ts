import * as z from "zod";
import { SessionId } from "../../contract/index.ts";
import type { Json } from "../../kernel/index.ts";
import { read, type Syscall, write } from "../define.ts";
import type { Shown } from "../mcp-spelling.ts";

const WAIT_MAX_MS = 30_000;
const TEXT_CHARS = 16_384;

const ToolWire = z.object({
  name: z.string(),
  description: z.string(),
  kind: z.string().describe("rules name a call `tool.KIND`"),
  input: z.record(z.string(), z.unknown()).describe("a JSON schema"),
});

const ContentWire = z.union([
  z.object({ kind: z.literal("text"), text: z.string() }),
  z.object({ kind: z.literal("image"), mediaType: z.string(), base64: z.string() }),
]);

const Called = z.object({
  effectId: z.string().describe("the effect in the session's log; empty when it was denied"),
  outcome: z.enum(["done", "failed", "refused"]),
  content: z.array(ContentWire),
  isError: z.boolean(),
  text: z.string().describe("the beginning of its text, 16 KB at most"),
});

export const tool: readonly Syscall[] = [
  read({
    name: "tool.list",
    summary: "List the tools that the daemon runs for a session, such as those of MCP servers, and what is missing",
    permission: "session.read",
    roles: ["viewer", "session", "below"],
    needs: ["toolCalls"],
    about: "session",
    input: z.object({
      id: SessionId,
      waitMs: z.coerce
        .number()
        .int()
        .min(0)
        .max(WAIT_MAX_MS)
        .optional()
        .describe("wait so long for servers that start"),
    }),
    output: z.object({
      tools: z.array(ToolWire),
      problems: z.array(z.string()).describe("what cannot be offered now, and why"),
    }),
    errors: ["session_not_found"],
    http: { method: "GET", path: "/sessions/:id/tools" },
    cli: { positional: ["id"] },
    answer: async ({ services }, { id, waitMs = 0 }) => {
      const { tools, problems } = await services.toolCalls.list(id, waitMs);
      return {
        tools: tools.map(({ name, description, kind, input }) => ({ name, description, kind, input: { ...input } })),
        problems: [...problems],
      };
    },
  }),
  write({
    name: "tool.call",
    summary: "Call a tool of the daemon as an effect of the session's running turn",
    permission: "session.call",
    roles: ["session"],
    needs: ["toolCalls"],
    rights: "session",
    about: "session",
    input: z.object({
      id: SessionId,
      name: z.string().min(1).max(64).describe("as `tool list` shows it"),
      arguments: z.record(z.string(), z.unknown()).optional().describe("what the tool takes"),
    }),
    output: Called,
    errors: [
      ...(["session_not_found", "session_ended", "no_running_turn", "tool_not_found", "sandbox_floor"] as const),
      ...(["turn_ended", "quota_exceeded", "disk_low", "limit_reached", "invalid_request"] as const),
    ],
    http: { method: "POST", path: "/sessions/:id/tools/call" },
    cli: { positional: ["id", "name"], says: ["{text}", ["isError", true, "The call failed."]] },
    mcp: { shows: ({ content }) => content.map(shown) },
    commit: async () => [],
    answer: async ({ services, call }, { id, name, arguments: input = {} }) => {
      const key = call === null ? null : call.keyHash;
      const done = await services.toolCalls.call({ sessionId: id, name, input: input as Json, key });
      const text = done.content.map((part) => (part.kind === "text" ? part.text : `[${part.mediaType}]`)).join("\n");
      return { ...done, content: done.content.map((part) => ({ ...part })), text: text.slice(0, TEXT_CHARS) };
    },
  }),
];

function shown(part: z.output<typeof ContentWire>): Shown {
  return part.kind === "text"
    ? { mediaType: "text/plain", content: { text: part.text } }
    : { mediaType: part.mediaType, content: { base64: part.base64 } };
}

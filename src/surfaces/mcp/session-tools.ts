import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import type { Actor } from "../../domains/index.ts";
import { memberOf } from "../../kernel/index.ts";
import { dispatch, type Services } from "../../syscalls/index.ts";
import type { McpTool } from "./tools.ts";

/** Tools that the daemon runs for a session, such as those of MCP servers, under their own names for its agent. */
export interface SessionTools {
  readonly list: (actor: Actor, signal: AbortSignal) => Promise<readonly Tool[]>;
  /** A call of such a tool as the call of the syscall that runs it; the tool is null for everybody but a session. */
  readonly asCall: (actor: Actor, called: Called) => { readonly tool: McpTool | null; readonly input: Called["input"] };
}

interface Called {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const LIST = "tool_list";
const CALL = "tool_call";
/** The kind of the tools that an agent has no other way to. */
const KIND = "mcp";
const PREFIX = "mcp__";
/** An agent asks once, when it starts: servers that start too are worth waiting for. */
const WAIT_MS = 10_000;

export function createSessionTools(services: Services, tools: ReadonlyMap<string, McpTool>): SessionTools {
  return {
    list: async (actor, signal) => {
      const lister = tools.get(LIST);
      if (actor.sessionId === null || lister === undefined) return [];
      const input = { id: actor.sessionId, waitMs: WAIT_MS };
      const output = await dispatch(services, lister.syscall, { actor, input, key: null, signal });
      // The syscall's own schema made this value.
      const listed = "value" in output ? (output.value as Listed).tools : [];
      return listed
        .filter(({ kind }) => kind === KIND)
        .map(({ name, description, input: schema }) => ({
          name,
          description,
          inputSchema: { ...schema, type: "object" },
        }));
    },
    asCall: ({ sessionId }, { name, input }) => ({
      tool: sessionId !== null && name.startsWith(PREFIX) ? (tools.get(CALL) ?? null) : null,
      input: { id: sessionId, name, arguments: input },
    }),
  };
}

/** The tool's own result: of the syscall's answer only what the tool said. */
export function ownResult({ structuredContent, ...result }: CallToolResult): CallToolResult {
  return memberOf(structuredContent, "isError") === true ? { ...result, isError: true } : result;
}

interface Listed {
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly kind: string;
    readonly input: Record<string, unknown>;
  }[];
}

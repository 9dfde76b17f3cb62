import type { CallToolResult } from "@modelcontextprotocol/server";
import { errorBody, type NomosError, type Progress, toNomosError } from "../../contract/index.ts";
import type { Actor } from "../../domains/index.ts";
import { dispatch, parseInput, type Services } from "../../syscalls/index.ts";
import { collectItems } from "./collect-items.ts";
import { contentOf } from "./content.ts";
import { type McpTool, StreamInput } from "./tools.ts";

export interface ToolCall {
  readonly actor: Actor;
  readonly input: Readonly<Record<string, unknown>>;
  readonly key: string | null;
  readonly signal: AbortSignal;
  readonly progress: (progress: Progress) => void;
}

/** A refusal is returned as a result, so that the model can read it and try something else. */
export async function callTool(services: Services, tool: McpTool, call: ToolCall): Promise<CallToolResult> {
  const input = toOurNames(call.input, tool.renamed);
  const unknown: string[] = [];
  const result = await answered(async () => {
    const value = await outcomeOf(services, tool, { ...call, input }, (members) => unknown.push(...members));
    return {
      content: [...contentOf(tool.syscall, value, input)],
      structuredContent: withTheirNames(value, tool.renamed),
    };
  });
  return unknown.length === 0 ? result : { ...result, _meta: { [UNKNOWN_META]: unknown } };
}

/** Members of the call that the tool does not know and ignored. */
const UNKNOWN_META = "nomos/unknownMembers";

/** Turns a thrown error into a result with `isError`. */
export async function answered(call: () => CallToolResult | Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await call();
  } catch (thrown) {
    return refused(toNomosError(thrown));
  }
}

async function outcomeOf(
  services: Services,
  { syscall }: McpTool,
  call: ToolCall,
  tell: (members: readonly string[]) => void,
): Promise<unknown> {
  const bounds = syscall.kind === "stream" ? parseInput(StreamInput, { ...call.input }) : null;
  const ours = bounds === null ? [] : Object.keys(StreamInput.shape);
  const unknown = (members: readonly string[]) => tell(members.filter((name) => !ours.includes(name)));
  const enough = new AbortController();
  const signal = AbortSignal.any([call.signal, enough.signal]);
  const output = await dispatch(services, syscall, { ...call, input: { ...call.input }, signal, unknown });
  if ("value" in output) return output.value;
  try {
    return await collectItems(output.stream, { ...StreamInput.parse({}), ...bounds, signal, progress: call.progress });
  } finally {
    enough.abort();
  }
}

function refused(error: NomosError): CallToolResult {
  const body = errorBody(error);
  return { isError: true, content: [{ type: "text", text: JSON.stringify(body) }], structuredContent: { ...body } };
}

function toOurNames(given: ToolCall["input"], renamed: McpTool["renamed"]): Record<string, unknown> {
  const input = { ...given };
  for (const [theirs, ours] of Object.entries(renamed)) {
    if (input[theirs] === undefined) continue;
    input[ours] = input[theirs];
    delete input[theirs];
  }
  return input;
}

function withTheirNames(value: unknown, renamed: McpTool["renamed"]): Record<string, unknown> {
  const answer: Record<string, unknown> = typeof value === "object" && value !== null ? { ...value } : { value };
  for (const [theirs, ours] of Object.entries(renamed)) if (ours in answer) answer[theirs] = answer[ours];
  return answer;
}

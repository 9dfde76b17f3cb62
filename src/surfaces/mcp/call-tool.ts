import type { CallToolResult } from "@modelcontextprotocol/server";
import { errorBody, type NomosError, type Progress, toNomosError } from "../../contract/index.ts";
import type { Actor } from "../../kernel/index.ts";
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
  return answered(async () => {
    const value = await outcomeOf(services, tool, { ...call, input });
    return {
      content: [...contentOf(tool.syscall, value, input)],
      structuredContent: withTheirNames(value, tool.renamed),
    };
  });
}

/** Turns a thrown error into a result with `isError`. */
export async function answered(call: () => CallToolResult | Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await call();
  } catch (thrown) {
    return refused(toNomosError(thrown));
  }
}

async function outcomeOf(services: Services, { syscall }: McpTool, call: ToolCall): Promise<unknown> {
  const bounds = syscall.kind === "stream" ? parseInput(StreamInput, { ...call.input }) : null;
  const enough = new AbortController();
  const signal = AbortSignal.any([call.signal, enough.signal]);
  const output = await dispatch(services, syscall, { ...call, input: { ...call.input }, signal });
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

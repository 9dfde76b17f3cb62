import type { AnyTool, ToolContext, ToolResult } from "../../src/engine/tool.ts";
import { parseInput } from "../../src/engine/tools/index.ts";

/** A call as a model makes it: the input as JSON text. An input that the tool does not take is an error of the test. */
export async function callTool(tool: AnyTool, input: unknown, context: ToolContext): Promise<Called> {
  const parsed = parseInput(tool, JSON.stringify(input));
  if ("problem" in parsed) throw new Error(parsed.problem);
  const result = await tool.run(parsed.input, context);
  const text = result.content.map((part) => (part.kind === "text" ? part.text : `<${part.mediaType}>`)).join("\n");
  return { ...result, text };
}

export type Called = ToolResult & { readonly text: string };

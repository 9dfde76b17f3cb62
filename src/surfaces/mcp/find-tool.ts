import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import * as z from "zod";
import { parseInput } from "../../syscalls/index.ts";
import { jsonSchema } from "../json-schema.ts";
import type { McpTool } from "./tools.ts";

const FOUND_MAX = 20;

const FindInput = z.object({
  query: z.string().min(1).max(200).describe("words from what the tool is called, does or takes"),
  limit: z.coerce.number().int().min(1).max(FOUND_MAX).default(5),
});

const FindOutput = z.object({
  tools: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      toolsets: z.array(z.string()),
      inputSchema: z.record(z.string(), z.unknown()),
    }),
  ),
  more: z.number().int().describe("how many others match"),
});

/** A tool that searches the tools, because a list shows only some of them. It is in every toolset. */
export const FIND_TOOL: Tool = {
  name: "find_tool",
  description: "Find tools that are not listed, by words; each can be called by the name and schema given here.",
  inputSchema: { ...jsonSchema(FindInput, "input"), type: "object" },
  outputSchema: { ...jsonSchema(FindOutput, "output"), type: "object" },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
};

/** Throws if the input is invalid. `tools`: those that the caller may call. */
export function findTools(tools: readonly McpTool[], given: Record<string, unknown>): CallToolResult {
  const { query, limit } = parseInput(FindInput, given);
  const words = wordsIn(query);
  const ranked = tools
    .map((tool) => ({ tool, ...rank(tool, query, words) }))
    .filter(({ matched }) => matched > 0)
    .sort((one, other) => other.matched - one.matched || other.weight - one.weight);
  const found = ranked.filter(({ tool }, at) => ranked.findIndex((one) => one.tool.syscall === tool.syscall) === at);
  const answer = {
    tools: found.slice(0, limit).map(({ tool: { listed, toolsets } }) => ({
      name: listed.name,
      description: listed.description ?? "",
      toolsets: [...toolsets],
      inputSchema: listed.inputSchema,
    })),
    more: Math.max(0, found.length - limit),
  };
  return { content: [{ type: "text", text: JSON.stringify(answer) }], structuredContent: answer };
}

/** How many of the words match, and where: a match in the name counts more than one in a member's description. */
function rank({ name, listed }: McpTool, query: string, words: readonly string[]) {
  if (name === query.trim()) return { matched: words.length + 1, weight: 0 };
  const places = [
    { weight: 4, has: wordsIn(name) },
    { weight: 2, has: wordsIn(listed.description ?? "") },
    { weight: 1, has: wordsIn(JSON.stringify(listed.inputSchema.properties ?? {})) },
  ];
  const weights = words.map((word) =>
    Math.max(0, ...places.map(({ weight, has }) => (has.some((one) => isAlike(one, word)) ? weight : 0))),
  );
  return {
    matched: weights.filter((weight) => weight > 0).length,
    weight: weights.reduce((sum, weight) => sum + weight, 0),
  };
}

const STEM_CHARS_MIN = 4;

/** Two words match if one begins with the other: `rewind` and `rewinds` match, `approve` and `approval` do not. */
function isAlike(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return one === other || (short.length >= STEM_CHARS_MIN && long.startsWith(short));
}

function wordsIn(text: string): readonly string[] {
  return [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])];
}

import type { Tool } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Syscall } from "../../syscalls/index.ts";
import { type JsonSchema, jsonSchema } from "../json-schema.ts";

/** A syscall as an MCP tool, under its own name or an alias. */
export interface McpTool {
  readonly name: string;
  readonly syscall: Syscall;
  /** Input members that have another name in this tool. */
  readonly renamed: { readonly [theirs: string]: string };
  /** Toolsets that list it: its family, and those that the definition names. */
  readonly toolsets: readonly string[];
  readonly listed: Tool;
}

/** `mcp-server.add` is `mcp_server_add`. */
export function toolName({ name }: Pick<Syscall, "name">): string {
  return name.replaceAll(/[.-]/g, "_");
}

/** The toolset of AIP-46's names for five of the tools. */
export const OTHER_NAMES = "aip46";

/** All tools by name: the table's, then the aliases. The gate decides which of them an actor may call. */
export function toolsOf(table: readonly Syscall[]): ReadonlyMap<string, McpTool> {
  const own = table.map((syscall) => toolOf(toolName(syscall), syscall, {}, ownToolsets(syscall)));
  const others = table.flatMap((syscall) =>
    Object.entries(syscall.mcp?.aliases ?? {}).map(([name, renamed]) => toolOf(name, syscall, renamed, [OTHER_NAMES])),
  );
  const tools = new Map<string, McpTool>();
  for (const tool of [...own, ...others]) {
    if (tools.has(tool.name)) throw new Error(`two tools are named ${tool.name}`);
    tools.set(tool.name, tool);
  }
  return tools;
}

const STREAM_ITEMS_MAX = 1000;
const STREAM_WAIT_MAX_MS = 60_000;

/** A tool answers once, so a stream's items are collected until one of these limits is reached. */
export const StreamInput = z.object({
  limit: z.coerce.number().int().min(1).max(STREAM_ITEMS_MAX).default(100).describe("answer after so many items"),
  waitMs: z.coerce
    .number()
    .int()
    .min(0)
    .max(STREAM_WAIT_MAX_MS)
    .default(1000)
    .describe("answer with what there is when nothing new came for so long"),
});

const StreamOutput = z.object({
  items: z.array(z.object({ event: z.string(), data: z.unknown(), id: z.number().int().optional() })),
  cursor: z.number().int().nullable().describe("the `after` of the next call"),
  ended: z.boolean(),
});

function ownToolsets({ name, mcp }: Syscall): readonly string[] {
  return [name.split(".")[0] ?? "", ...(mcp?.toolsets ?? [])];
}

function toolOf(name: string, syscall: Syscall, renamed: McpTool["renamed"], toolsets: McpTool["toolsets"]): McpTool {
  const isStream = syscall.kind === "stream";
  const input = jsonSchema(isStream ? syscall.input.extend(StreamInput.shape) : syscall.input, "input");
  const output = jsonSchema(isStream ? StreamOutput : syscall.output, "output");
  return {
    name,
    syscall,
    renamed,
    toolsets,
    listed: {
      name,
      description: `${syscall.summary}.`,
      inputSchema: { ...renameMembers(input, renamed), type: "object" },
      ...(output["type"] === "object" ? { outputSchema: { ...addMembers(output, renamed), type: "object" } } : {}),
      annotations: {
        readOnlyHint: syscall.kind !== "write",
        destructiveHint: syscall.destructive === true,
        idempotentHint: syscall.kind !== "write" || syscall.idempotent === true,
      },
    },
  };
}

function renameMembers(schema: JsonSchema, renamed: McpTool["renamed"]): JsonSchema {
  const theirs = (name: string): string => Object.entries(renamed).find(([, ours]) => ours === name)?.[0] ?? name;
  const properties = Object.fromEntries(
    Object.entries(record(schema["properties"])).map(([name, member]) => [theirs(name), member]),
  );
  const required = Array.isArray(schema["required"]) ? schema["required"].map((name) => theirs(String(name))) : [];
  return { ...schema, properties, ...(required.length === 0 ? {} : { required }) };
}

function addMembers(schema: JsonSchema, renamed: McpTool["renamed"]): JsonSchema {
  const properties = record(schema["properties"]);
  const added = Object.entries(renamed).flatMap(([theirs, ours]) =>
    properties[ours] === undefined ? [] : [[theirs, properties[ours]]],
  );
  return { ...schema, properties: { ...properties, ...Object.fromEntries(added) } };
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

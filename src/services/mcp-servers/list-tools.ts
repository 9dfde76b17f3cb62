import type { Client, Tool } from "@modelcontextprotocol/client";
import type { McpLimits } from "./limits.ts";
import { serverFailed } from "./server-failed.ts";

/** A tool as its server describes it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly input: Tool["inputSchema"];
  /** The server says that it changes nothing, or that a repetition changes nothing more. */
  readonly isRepeatable: boolean;
  readonly isReadOnly: boolean;
}

export interface ToolList {
  readonly tools: readonly ListedTool[];
  /** How many more the server has than it may. */
  readonly leftOut: number;
}

/** Pages of a list that are read. */
export const PAGES_MAX = 25;

/** All pages of a server's tools. Throws when their schemas are too large together: half a list would mislead. */
export async function listTools(server: string, client: Client, limits: McpLimits): Promise<ToolList> {
  const tools: ListedTool[] = [];
  const names = new Set<string>();
  let leftOut = 0;
  let bytes = 0;
  // The library follows the pages, and leaves out tools that this version of the protocol forbids to call.
  const found = await client.listTools(undefined, { timeout: limits.startMs, cacheMode: "refresh" });
  for (const tool of found.tools) {
    bytes += JSON.stringify(tool.inputSchema).length;
    if (bytes > limits.schemaBytesMax) throw serverFailed(server, tooMuchSchema(limits));
    // Of two tools of one name the first one counts: a call could not tell them apart.
    if (names.has(tool.name)) continue;
    names.add(tool.name);
    if (tools.length < limits.toolsMax) tools.push(listed(tool, limits));
    else leftOut += 1;
  }
  return { tools, leftOut };
}

export function tooMuchSchema({ schemaBytesMax }: McpLimits): string {
  return `the schemas of its tools are larger than ${schemaBytesMax} bytes`;
}

function listed({ name, title, description, inputSchema, annotations = {} }: Tool, limits: McpLimits): ListedTool {
  const words = description ?? annotations.title ?? title ?? name;
  const isReadOnly = annotations.readOnlyHint === true;
  return {
    name,
    description: words.length <= limits.descriptionChars ? words : `${words.slice(0, limits.descriptionChars)} […]`,
    input: inputSchema,
    isReadOnly,
    isRepeatable: isReadOnly || annotations.idempotentHint === true,
  };
}

import type { Json } from "../../../kernel/index.ts";
import type { ServedContent, ServedResult } from "../../../turns/index.ts";
import type { UserToolContext } from "../user-tool.ts";
import { checkAgainst } from "./check-against.ts";
import type { DescribedTool } from "./protocol.ts";

const REDO = ["safe", "ask", "failed"] as const;

/** What the file's default export says of itself. Throws a sentence for whoever wrote it. */
export function describeTool(exported: unknown): DescribedTool {
  const tool = asTool(exported);
  const { name = null, description, redo = "ask" } = tool;
  if (name !== null && (typeof name !== "string" || !/^[a-zA-Z0-9_-]{1,64}$/.test(name)))
    throw new Error("its `name` has other than letters, digits, _ and -, or more than 64 of them");
  if (typeof description !== "string" || description.trim() === "") throw new Error("it has no `description`");
  const found = REDO.find((one) => one === redo);
  if (found === undefined) throw new Error(`its \`redo\` is none of ${REDO.join(", ")}`);
  return { name, description, input: schemaOf(tool), redo: found };
}

/** One call: the input is checked, and what the tool returns is made a result. */
export async function runTool(exported: unknown, input: Json, context: UserToolContext): Promise<ServedResult> {
  const tool = asTool(exported);
  const standard = standardOf(tool.input);
  const checked = standard?.validate === undefined ? plainChecked(tool, input) : await standardChecked(standard, input);
  return resultOf(await tool.run(checked, context));
}

interface LooseTool {
  readonly name?: unknown;
  readonly description?: unknown;
  readonly redo?: unknown;
  readonly input?: unknown;
  readonly run: (input: unknown, context: UserToolContext) => unknown;
}

function asTool(exported: unknown): LooseTool {
  if (typeof exported !== "object" || exported === null) throw new Error("it exports no tool as default");
  if (!hasRun(exported)) throw new Error("its tool has no function `run`");
  return exported;
}

function hasRun(exported: object): exported is LooseTool {
  return "run" in exported && typeof exported.run === "function";
}

const ANYTHING: DescribedTool["input"] = { type: "object", properties: {} };

function schemaOf({ input }: LooseTool): DescribedTool["input"] {
  if (input === undefined) return ANYTHING;
  const standard = standardOf(input);
  const schema: unknown = standard === null ? input : standard.jsonSchema?.input({ target: "draft-07" });
  if (schema === undefined)
    throw new Error("its `input` cannot tell its JSON schema: write one, or use zod 4.2 or newer");
  const plain: unknown = JSON.parse(JSON.stringify(schema) ?? "null");
  if (!isObject(plain) || plain["type"] !== "object")
    throw new Error('its `input` is no JSON schema of an object: { type: "object", properties: {…} }');
  return plain;
}

interface Standard {
  readonly validate?: (input: unknown) => unknown;
  readonly jsonSchema?: { readonly input: (options: { readonly target: string }) => unknown };
}

function standardOf(input: unknown): Standard | null {
  if ((typeof input !== "object" && typeof input !== "function") || input === null || !("~standard" in input))
    return null;
  const standard = input["~standard"];
  return typeof standard === "object" ? standard : null;
}

function plainChecked(tool: LooseTool, input: Json): Json {
  const problem = checkAgainst(schemaOf(tool), input, "input");
  if (problem !== null) throw new Error(problem);
  return input;
}

async function standardChecked({ validate }: Standard, input: Json): Promise<unknown> {
  const outcome: unknown = await validate?.(input);
  if (!isObject(outcome)) return input;
  const { issues } = outcome;
  if (!Array.isArray(issues)) return outcome["value"];
  throw new Error(issues.map((issue: unknown) => spellIssue(issue)).join("; "));
}

function spellIssue(issue: unknown): string {
  if (!isObject(issue)) return String(issue);
  const { path, message } = issue;
  return `${Array.isArray(path) ? path.map(String).join(".") : "input"}: ${String(message)}`;
}

function resultOf(returned: unknown): ServedResult {
  if (returned === undefined || returned === null) return { content: [], isError: false };
  if (typeof returned === "string") return { content: [{ kind: "text", text: returned }], isError: false };
  if (!isObject(returned) || !Array.isArray(returned["content"]))
    return { content: [{ kind: "text", text: JSON.stringify(returned, null, 2) ?? "" }], isError: false };
  const parts: readonly unknown[] = returned["content"];
  return { content: parts.map(contentOf), isError: returned["isError"] === true };
}

function contentOf(part: unknown): ServedContent {
  if (isObject(part)) {
    const { type, text, mediaType, base64 } = part;
    if (type === "text" && typeof text === "string") return { kind: "text", text };
    if (type === "image" && typeof mediaType === "string" && typeof base64 === "string")
      return { kind: "image", mediaType, base64 };
  }
  throw new Error("it returned content that is neither { type: text, text } nor { type: image, mediaType, base64 }");
}

function isObject(value: unknown): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

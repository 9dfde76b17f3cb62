import type * as z from "zod";
import type { AnyTool } from "../../tool.ts";
import { closestNames } from "../shared/closest-names.ts";
import { cutChars, shownName } from "../shared/shown.ts";
import { repairInput } from "./repair-input.ts";
import { inputSchema } from "./tool-specs.ts";

/** What a model wrote as the input of a call: an input that the tool takes, or what to send instead. */
export function parseInput(tool: AnyTool, rawText: string): Parsed {
  if (rawText.length > INPUT_CHARS_MAX)
    return problem(tool, [`the input has ${rawText.length} characters, at most ${INPUT_CHARS_MAX} are allowed`]);
  const read = parseJson(rawText);
  if ("unreadable" in read)
    return problem(tool, [`the input is not valid JSON (${read.unreadable}); it starts with: ${start(rawText)}`]);
  return checkInput(tool, read.value);
}

/** The same for a value that is JSON already, such as one that an extension rewrote. */
export function checkInput(tool: AnyTool, value: unknown): Parsed {
  const schema = inputSchema(tool.input);
  const parsed = tool.input.safeParse(repairInput(value, schema));
  // The tool's own schema made this value, so it is what the tool's `run` takes.
  if (parsed.success) return { input: parsed.data as never };
  const fields = Object.keys(isObject(schema["properties"]) ? schema["properties"] : {});
  const lines = parsed.error.issues.slice(0, ISSUES_MAX).map((issue) => spellIssue(issue, fields));
  return problem(tool, lines);
}

export type Parsed = { readonly input: never } | { readonly problem: string };

const INPUT_CHARS_MAX = 20_000_000;
const ISSUES_MAX = 10;
const START_CHARS = 80;

function parseJson(text: string): { readonly value: unknown } | { readonly unreadable: string } {
  // Some models send nothing at all for a call without arguments.
  if (text.trim() === "") return { value: {} };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { unreadable: error instanceof Error ? error.message : "unknown reason" };
  }
}

function start(text: string): string {
  return shownName(cutChars(text, START_CHARS));
}

function problem(tool: AnyTool, lines: readonly string[]): Parsed {
  const fields = describeFields(inputSchema(tool.input));
  return {
    problem: [
      `Invalid input for ${tool.name}. The tool did not run.`,
      ...lines.map((line) => `- ${line}`),
      `Send a JSON object with: ${fields}.`,
    ].join("\n"),
  };
}

function describeFields(schema: { readonly [key: string]: unknown }): string {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const needed = Array.isArray(schema["required"]) ? schema["required"] : [];
  const words = Object.entries(properties).map(([name, of]) => {
    const type = isObject(of) && Array.isArray(of["enum"]) ? of["enum"].join(" | ") : typeWord(of);
    return `${name} (${type}${needed.includes(name) ? "" : ", optional"})`;
  });
  return words.join(", ");
}

function typeWord(schema: unknown): string {
  return isObject(schema) && typeof schema["type"] === "string" ? schema["type"] : "any";
}

function spellIssue(issue: z.core.$ZodIssue, fields: readonly string[]): string {
  const where = issue.path.length === 0 ? "the input" : spellPath(issue.path);
  if (issue.code === "unrecognized_keys") {
    const names = issue.keys.map((key) => {
      const close = closestNames(key, fields)[0];
      return close === undefined ? shownName(key) : `${shownName(key)} (did you mean ${close}?)`;
    });
    return `${issue.path.length === 0 ? "" : `${where}: `}unknown ${names.length === 1 ? "field" : "fields"} ${names.join(", ")}: leave out`;
  }
  return `${where}: ${issue.message.replace(/^Invalid (?:input|option): /, "")}`;
}

function spellPath(path: readonly PropertyKey[]): string {
  return path
    .map((part, at) => (typeof part === "number" ? `[${part}]` : `${at === 0 ? "" : "."}${String(part)}`))
    .join("");
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

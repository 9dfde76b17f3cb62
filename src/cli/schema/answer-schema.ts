import { resolve } from "node:path";
import { usageError } from "../arguments.ts";
import { readFileLimited } from "../run/read-limited.ts";
import { schemaProblem } from "./fits-schema.ts";
import { schemaFault } from "./schema-fault.ts";

/** The schema that an answer has to fit. */
export interface AnswerSchema {
  readonly text: string;
  /** The value in an answer, or what is wrong with it. */
  readonly read: (answer: string) => { readonly value: unknown } | { readonly problem: string };
}

/** The driver that takes a schema as a session option. */
export const OWN_DRIVER = "nomos";
/** As the session option of the same name. */
const SCHEMA_CHARS_MAX = 65_536;

/** `--schema FILE` or `--schema '{...}'`. */
export async function readSchema(given: string, cwd: string): Promise<AnswerSchema> {
  const isInline = given.trimStart().startsWith("{");
  const raw = isInline ? given : await readFileLimited(resolve(cwd, given), SCHEMA_CHARS_MAX, "--schema");
  const schema = parsed(raw);
  if (schema === undefined) throw usageError("--schema is no valid JSON.");
  if (typeof schema !== "object" || schema === null || Array.isArray(schema))
    throw usageError('--schema is a JSON schema: an object such as {"type":"object"}.');
  const answer = answerSchema(schema);
  if (typeof answer === "string") throw usageError(`--schema: ${answer}.`);
  return answer;
}

/** Of a schema that was parsed before; a text says what is wrong with it. */
export function answerSchema(schema: object): AnswerSchema | string {
  const fault = schemaFault(schema);
  if (fault !== null) return fault;
  const text = JSON.stringify(schema);
  if (text.length > SCHEMA_CHARS_MAX)
    return `the schema has ${text.length} characters; at most ${SCHEMA_CHARS_MAX} are allowed`;
  return {
    text,
    read: (answer) => {
      const value = parsed(unfenced(answer));
      if (value === undefined) return { problem: "the answer is no JSON" };
      const problem = schemaProblem(schema, value);
      return problem === null ? { value } : { problem };
    },
  };
}

/** For an agent that takes no schema of its own. */
export function askedByPrompt(prompt: string, { text }: AnswerSchema): string {
  return `End your answer with one JSON value, and nothing after it. It has to fit this JSON schema:\n${text}\n\n${prompt}`;
}

export function askAgain(problem: string): string {
  return `Your answer does not fit the JSON schema: ${problem}. Answer again, with the JSON value alone.`;
}

const LINES_TRIED_MAX = 1000;

/** Models like to put JSON between fences, or sentences before it: the value is what the answer ends with. */
function unfenced(answer: string): string {
  const text = answer.trim();
  if (parsed(text) !== undefined) return text;
  const [, fenced] = /```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text) ?? [];
  if (fenced !== undefined) return fenced;
  const lines = text.split("\n").slice(-LINES_TRIED_MAX);
  const rests = lines.flatMap((line, at) => (/^\s*[[{]/.test(line) ? [lines.slice(at).join("\n")] : []));
  // A number, a text or true stands on the last line alone.
  return [...rests, lines.at(-1) ?? ""].find((rest) => parsed(rest) !== undefined) ?? text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

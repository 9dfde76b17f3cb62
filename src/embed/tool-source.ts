import { z } from "zod";
import { ClientError } from "../client/index.ts";
import type { Json } from "../kernel/index.ts";
import type { ServedResult, ServedTool, ToolSource } from "../turns/index.ts";
import type { Tool, ToolInput } from "./options.ts";

const TIMEOUT_MS = 120_000;
const TIMEOUT_MAX_MS = 3_600_000;
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const NO_INPUT = { type: "object", properties: {}, additionalProperties: false } as const;

/** The program's functions as tools of its sessions. Bad ones are refused at once: nobody would read of them later. */
export function toolSource(tools: readonly Tool[]): ToolSource {
  const served = tools.map(servedTool);
  const twice = tools.find(({ name }, at) => tools.findIndex((one) => one.name === name) !== at);
  if (twice !== undefined) throw badTool(twice.name, "there are two tools of this name");
  return {
    name: "program",
    names: tools.map(({ name }) => name),
    tools: async () => ({ tools: served, problems: [] }),
  };
}

function servedTool(tool: Tool): ServedTool {
  const { name, description, run, input = NO_INPUT, timeoutMs = TIMEOUT_MS } = tool;
  if (typeof name !== "string" || !NAME.test(name))
    throw badTool(name, "a name has letters, digits, `_` and `-`, 64 at most");
  if (typeof run !== "function") throw badTool(name, "`run` is no function");
  if (!(timeoutMs >= 1 && timeoutMs <= TIMEOUT_MAX_MS))
    throw badTool(name, `\`timeoutMs\` is between 1 and ${TIMEOUT_MAX_MS}`);
  const check = checkOf(name, input);
  const resource = tool.resource ?? (() => `call/${name}`);
  return {
    ...{ name, input },
    description: String(description ?? ""),
    kind: kindOf(name),
    redo: tool.isSafe === true ? "safe" : "ask",
    mode: tool.isParallel === true ? "parallel" : "sequential",
    resource: (given) => String(resource(objectOf(given))),
    shown: (given) => `${name} ${JSON.stringify(given)}`,
    run: async (given, { sessionId, turnId, key, spec, signal }) => {
      const problem = check(given);
      if (problem !== null) return failure(`The input does not fit: ${problem}`);
      const late = AbortSignal.timeout(timeoutMs);
      const call = { sessionId, turnId, key, cwd: spec.cwd, signal: AbortSignal.any([signal, late]) };
      const work = (async () => resultOf(await run(objectOf(given), call)))();
      return await Promise.race([work, cut(signal, late, timeoutMs)]);
    },
  };
}

/** The verb that rules name is `tool.<kind>`. */
function kindOf(name: string): string {
  const kind = name.toLowerCase().replaceAll("-", "_").slice(0, 32);
  return /^[a-z]/.test(kind) ? kind : `t_${kind}`.slice(0, 32);
}

function checkOf(name: string, input: ToolInput): (given: Json) => string | null {
  try {
    const schema = z.fromJSONSchema({ type: "object", ...input });
    return (given) => {
      const parsed = schema.safeParse(given);
      return parsed.success ? null : z.prettifyError(parsed.error);
    };
  } catch (cause) {
    throw badTool(name, `\`input\` is no JSON schema: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

/** A tool that hears no signal would hold its turn for ever, so nobody waits for it any longer. */
function cut(signal: AbortSignal, late: AbortSignal, timeoutMs: number): Promise<ServedResult> {
  return new Promise((resolve, reject) => {
    const told = failure(`The tool did not answer within ${timeoutMs} ms.`);
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    late.addEventListener("abort", () => resolve(told), { once: true });
  });
}

function resultOf(value: unknown): ServedResult {
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
  return { content: text === "" ? [] : [{ kind: "text", text }], isError: false };
}

function failure(text: string): ServedResult {
  return { content: [{ kind: "text", text }], isError: true };
}

function objectOf(input: Json): ToolInput {
  return typeof input === "object" && input !== null && !Array.isArray(input) ? (input as ToolInput) : {};
}

function badTool(name: unknown, problem: string): ClientError {
  return new ClientError("invalid_request", {
    message: `The tool ${JSON.stringify(name)} cannot be used: ${problem}.`,
    details: { field: "tools", tool: String(name) },
  });
}

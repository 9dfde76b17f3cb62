import type * as z from "zod";
import { NomosError, toNomosError } from "../../contract/index.ts";
import type { Json } from "../../kernel/index.ts";
import type { ServedResult } from "../../turns/index.ts";

export function textResult(text: string, isError = false): ServedResult {
  return { content: [{ kind: "text", text }], isError };
}

/** An expected failure as the model reads it: what happened, what to do, and the code. */
export async function orTold(signal: AbortSignal, work: () => Promise<ServedResult>): Promise<ServedResult> {
  try {
    return await work();
  } catch (thrown) {
    signal.throwIfAborted();
    const error = toNomosError(thrown);
    if (error.code === "internal") throw thrown;
    return textResult(`${error.message} ${error.remedy} (${error.code})`, true);
  }
}

/** Throws `invalid_request` with the first member that does not fit. */
export function readInput<T>(schema: z.ZodType<T>, input: Json): T {
  const read = schema.safeParse(input);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const field = issue?.path.join(".") ?? "";
  const message = `The tool's input is not valid: ${field === "" ? "" : `\`${field}\`: `}${issue?.message ?? ""}.`;
  throw new NomosError("invalid_request", { field }, { message, remedy: "Correct the input and call the tool again." });
}

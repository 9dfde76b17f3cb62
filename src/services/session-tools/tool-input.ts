import * as z from "zod";
import { NomosError } from "../../contract/index.ts";
import type { Json } from "../../kernel/index.ts";

/** What a model is told of an input. */
export function schemaOf(input: z.ZodObject): { readonly [key: string]: Json } {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: "input" });
  return JSON.parse(JSON.stringify(schema));
}

export function parseInput<S extends z.ZodObject>(schema: S, input: Json): z.output<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join(".") ?? "";
  throw new NomosError(
    "invalid_request",
    { field },
    { message: `${field === "" ? "The input" : field}: ${issue?.message}` },
  );
}

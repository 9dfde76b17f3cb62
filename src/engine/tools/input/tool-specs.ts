import * as z from "zod";
import type { Json } from "../../../kernel/index.ts";
import type { ToolSpec } from "../../model.ts";
import type { AnyTool } from "../../tool.ts";

/**
 * What the model is told of the tools, in the order given. The same tools give the same bytes: a provider's prompt cache
 * starts with them.
 */
export function toolSpecs(tools: readonly AnyTool[]): readonly ToolSpec[] {
  return tools.map(({ name, description, input }) => ({ name, description, input: inputSchema(input) }));
}

/** A JSON schema of a tool's input. Every object in it is closed, because a tool ignores no field in silence. */
export function inputSchema(input: z.ZodType): Schema {
  const known = SCHEMAS.get(input);
  if (known !== undefined) return known;
  // A JSON schema is JSON by definition; its type in zod says so only for each keyword.
  const schema: Schema = plainSchema(JSON.parse(JSON.stringify(z.toJSONSchema(input, { io: "input" }))));
  SCHEMAS.set(input, schema);
  return schema;
}

/** An input of which only the JSON schema is known: any object passes here, and whoever runs the tool checks it. */
export function describedInput(schema: Schema): z.ZodType {
  const input = z.record(z.string(), z.json());
  SCHEMAS.set(input, schema);
  return input;
}

/** Each call is checked against its schema, and making one takes a millisecond. */
const SCHEMAS = new WeakMap<z.ZodType, Schema>();

type Schema = { readonly [key: string]: Json };

/** Costs tokens in every request, and some providers refuse them; the input is checked against them in any case. */
const LEFT_OUT: ReadonlySet<string> = new Set(["$schema", "minLength", "maxLength", "pattern", "minItems", "maxItems"]);

function plainSchema(schema: Schema): Schema {
  const kept = Object.entries(schema).filter(([keyword]) => !LEFT_OUT.has(keyword));
  return Object.fromEntries(
    kept.map(([keyword, value]): [string, Json] => {
      if (!isSchema(value)) return [keyword, value];
      if (keyword !== "properties") return [keyword, plainSchema(value)];
      const fields = Object.entries(value).map(([name, of]) => [name, isSchema(of) ? plainSchema(of) : of]);
      return [keyword, Object.fromEntries(fields)];
    }),
  );
}

function isSchema(value: Json | undefined): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

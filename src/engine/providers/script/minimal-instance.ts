import { z } from "zod";
import type { Json } from "../../../kernel/index.ts";

const Schema = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.json()).optional(),
  const: z.json().optional(),
  properties: z.record(z.string(), z.json()).optional(),
  required: z.array(z.string()).optional(),
  anyOf: z.array(z.json()).optional(),
  minimum: z.number().optional(),
});
const DEPTH_MAX = 20;

/** The smallest value that fits a JSON schema, for the keywords that our own schemas use. */
export function minimalInstance(schema: Json, depth = 0): Json {
  const read = Schema.safeParse(schema);
  if (!read.success || depth > DEPTH_MAX) return null;
  const { type, enum: values, const: value, properties = {}, required = [], anyOf, minimum } = read.data;
  if (value !== undefined) return value;
  if (values?.[0] !== undefined) return values[0];
  if (anyOf?.[0] !== undefined) return minimalInstance(anyOf[0], depth + 1);
  switch (Array.isArray(type) ? type[0] : type) {
    case "string":
      return "";
    case "number":
    case "integer":
      return minimum ?? 0;
    case "boolean":
      return false;
    case "array":
      return [];
    case "null":
      return null;
    default:
      return Object.fromEntries(required.map((name) => [name, minimalInstance(properties[name] ?? null, depth + 1)]));
  }
}

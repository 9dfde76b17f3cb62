import { z } from "zod";

export type JsonSchema = Record<string, unknown>;

/** A schema in JSON Schema 2020-12. An answer may have more members than it names: a newer daemon adds some. */
export function jsonSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  return z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    reused: "inline",
    override: ({ jsonSchema: node }) => {
      if (io === "output" && node.additionalProperties === false) delete node.additionalProperties;
      if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
      if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum;
    },
  });
}

import * as z from "zod";

export type JsonSchema = Record<string, unknown>;

/** Converts to JSON Schema 2020-12. Answers allow additional members, because a newer daemon may add some. */
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

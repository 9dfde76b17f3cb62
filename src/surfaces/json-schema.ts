import { z } from "zod";

export type JsonSchema = Record<string, unknown>;

/** Unknown members are ignored on the way in and may appear on the way out: no schema of ours says that there are none. */
export function jsonSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    reused: "inline",
    override: ({ jsonSchema: node }) => {
      if (node.additionalProperties === false) delete node.additionalProperties;
      if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
      if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum;
    },
  });
  return rest;
}

import { z } from "zod";

/** The part of JSON Schema that zod writes. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: { readonly [name: string]: JsonSchema };
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly (string | number)[];
  readonly const?: string | number | boolean;
  readonly description?: string;
  readonly $ref?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

export function schemaOf(given: z.ZodType, io: "input" | "output"): JsonSchema {
  return z.toJSONSchema(given, { io, unrepresentable: "any", reused: "inline" }) as JsonSchema;
}

/** Whether a member takes a boolean: as one, or as the text in a query string. */
export function isFlag({ type, anyOf }: JsonSchema): boolean {
  return type === "boolean" || (anyOf?.some((branch) => branch.type === "boolean") ?? false);
}

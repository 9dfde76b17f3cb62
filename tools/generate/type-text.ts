import type { JsonSchema } from "./json-schema.ts";

/** A schema as a TypeScript type. `named`: text of a type -> the name it is declared under. */
export function typeText(schema: JsonSchema, named: ReadonlyMap<string, string>): string {
  const text = spell(schema, named);
  return named.get(text) ?? text;
}

function spell(schema: JsonSchema, named: ReadonlyMap<string, string>): string {
  const of = (inner: JsonSchema): string => typeText(inner, named);
  // The only recursive schema is that of any JSON.
  if (schema.$ref !== undefined) return "Json";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf !== undefined) return schema.anyOf.map(of).join(" | ");
  if (Array.isArray(schema.type)) return schema.type.map((type) => of({ ...schema, type })).join(" | ");
  switch (schema.type) {
    case "string":
      return "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "null":
      return "null";
    case "array":
      return `readonly ${grouped(of(schema.items ?? {}), needsBrackets(schema.items ?? {}))}[]`;
    case "object":
      return objectText(schema, named);
    case undefined:
      return "unknown";
    default:
      throw new Error(`no type for ${JSON.stringify(schema)}`);
  }
}

/** Otherwise `[]` would belong to a part of it. */
function needsBrackets({ anyOf, type }: JsonSchema): boolean {
  return anyOf !== undefined || type === "array";
}

function objectText(schema: JsonSchema, named: ReadonlyMap<string, string>): string {
  const required = schema.required ?? [];
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    const note = member.description === undefined ? "" : `/** ${member.description} */\n`;
    return `${note}readonly ${name}${required.includes(name) ? "" : "?"}: ${typeText(member, named)};\n`;
  });
  const rest = schema.additionalProperties;
  if (members.length > 0) return `{\n${members.join("")}}`;
  if (typeof rest === "object") return `{ readonly [key: string]: ${typeText(rest, named)} }`;
  return "Record<string, never>";
}

function grouped(text: string, isUnion: boolean): string {
  return isUnion || (text.includes(" | ") && !text.startsWith("{")) ? `(${text})` : text;
}

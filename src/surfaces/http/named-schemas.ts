import type { z } from "zod";
import { AgentWire, ApprovalWire, EventWire, SessionWire, TodoWire } from "../../contract/index.ts";
import { jsonSchema } from "../json-schema.ts";

export type Schema = Record<string, unknown>;

/** The schemas of one OpenAPI document, each written once and referred to by its name. */
export interface NamedSchemas {
  /** The schema with every shared shape in it replaced by a reference. */
  readonly named: (schema: Schema) => Schema;
  /** A reference to it, under a name of its own unless it is a shared shape already. */
  readonly own: (name: string, schema: Schema) => Schema;
  readonly all: () => Readonly<Record<string, Schema>>;
}

/** Shapes that many syscalls share. A shape stands after those that are part of it. */
const SHARED: Readonly<Record<string, z.ZodType>> = {
  Approval: ApprovalWire,
  Event: EventWire,
  Session: SessionWire,
  TodoItem: TodoWire,
  Agent: AgentWire,
};

export function createNamedSchemas(given: Readonly<Record<string, Schema>>): NamedSchemas {
  const all: Record<string, Schema> = { ...given };
  const nameOf = new Map<string, string>();
  const ofSession = Object.entries(record(pathSchema(SessionWire, "output")["properties"])).map(
    ([name, member]) => [name, JSON.stringify(member)] as const,
  );

  const named = (schema: Schema): Schema => {
    const name = nameOf.get(JSON.stringify(schema));
    if (name !== undefined) return refTo(name);
    const more = extended(schema);
    return more ?? mapValues(schema);
  };

  /** A session with further members is a session and those members. */
  const extended = (schema: Schema): Schema | null => {
    const properties = record(schema["properties"]);
    const isSession = ofSession.every(([name, text]) => JSON.stringify(properties[name]) === text);
    if (!isSession) return null;
    const isMore = (name: string): boolean => !ofSession.some(([known]) => known === name);
    const more = Object.fromEntries(Object.entries(properties).filter(([name]) => isMore(name)));
    const required = listOf(schema["required"]).filter(isMore);
    return {
      allOf: [
        refTo("Session"),
        mapValues({ type: "object", properties: more, ...(required.length > 0 ? { required } : {}) }),
      ],
    };
  };

  const mapValues = (schema: Schema): Schema =>
    Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, mapped(value)]));
  const mapped = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(mapped);
    return typeof value === "object" && value !== null ? named({ ...value }) : value;
  };

  for (const [name, schema] of Object.entries(SHARED)) {
    const converted = pathSchema(schema, "output");
    all[name] = mapValues(converted);
    nameOf.set(JSON.stringify(converted), name);
  }
  return {
    named,
    own: (name, schema) => {
      const short = named(schema);
      if ("$ref" in short || (schema["properties"] === undefined && !("allOf" in short))) return short;
      all[name] = short;
      return refTo(name);
    },
    all: () => all,
  };
}

/** The schema of any JSON value refers to itself, so it must be one of the shared schemas. */
export function pathSchema(schema: z.ZodType, io: "input" | "output"): Schema {
  const { $schema: _dialect, $defs: _json, ...rest } = jsonSchema(schema, io);
  return JSON.parse(JSON.stringify(rest).replaceAll('"#/$defs/__schema0"', '"#/components/schemas/Json"'));
}

export function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function refTo(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

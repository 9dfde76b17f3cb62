import type { z } from "zod";
import { ERROR_CATALOGUE } from "../../contract/index.ts";
import { pathsOf, type Syscall } from "../../syscalls/index.ts";
import { jsonSchema } from "../json-schema.ts";

type Schema = Record<string, unknown>;

/** OpenAPI 3.1, derived from the table: nothing in it is written by hand. */
export function openApi(syscalls: readonly Syscall[], version: string): Schema {
  const paths: Record<string, Record<string, Schema>> = {};
  for (const syscall of syscalls)
    for (const [at, path] of pathsOf(syscall.http).entries()) {
      const spelled = path.replace(/:(\w+)/g, "{$1}");
      // An operation's id is unique: only the syscall's own path has its name.
      const alias = at === 0 ? {} : { operationId: `${syscall.name}.alias${at}`, "x-alias-of": syscall.http.path };
      paths[spelled] = {
        ...paths[spelled],
        [syscall.http.method.toLowerCase()]: { ...operation(syscall), ...alias },
      };
    }
  return {
    openapi: "3.1.0",
    info: { title: "Nomos", version, description: "An operating system for AI agent sessions." },
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Error: errorSchema(), Json: {} },
    },
  };
}

function operation(syscall: Syscall): Schema {
  const input = pathSchema(syscall.input, "input");
  const properties = record(input["properties"]);
  const required = Array.isArray(input["required"]) ? input["required"] : [];
  const inPath = [...syscall.http.path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? "");
  const byQuery = syscall.http.method === "GET" || syscall.http.method === "DELETE";
  const rest = Object.keys(properties).filter((name) => !inPath.includes(name));
  const parameter = (name: string, where: "path" | "query"): Schema => ({
    name,
    in: where,
    required: where === "path" || required.includes(name),
    schema: properties[name],
  });
  const body: Schema = {
    type: "object",
    properties: Object.fromEntries(rest.map((name) => [name, properties[name]])),
    required: required.filter((name) => rest.includes(String(name))),
  };
  const key: Schema = { name: "Idempotency-Key", in: "header", required: false, schema: { type: "string" } };
  return {
    operationId: syscall.name,
    summary: syscall.summary,
    tags: [syscall.name.split(".")[0]],
    "x-permission": syscall.permission,
    parameters: [
      ...inPath.map((name) => parameter(name, "path")),
      ...(byQuery ? rest.map((name) => parameter(name, "query")) : []),
      ...(syscall.kind === "write" ? [key] : []),
    ],
    ...(byQuery || rest.length === 0 ? {} : { requestBody: { content: { "application/json": { schema: body } } } }),
    responses: { [syscall.http.status ?? 200]: success(syscall), ...failures(syscall) },
  };
}

function success(syscall: Syscall): Schema {
  const type = syscall.kind === "stream" ? "text/event-stream" : "application/json";
  const text = syscall.http.text === undefined ? {} : { "text/plain": { schema: { type: "string" } } };
  const content = { ...text, [type]: { schema: pathSchema(syscall.output, "output") } };
  return { description: syscall.summary, content };
}

function failures(syscall: Syscall): Record<string, Schema> {
  const byStatus: Record<string, string[]> = {};
  for (const code of [...syscall.errors, "unauthorized", "denied", "invalid_request"] as const) {
    const status = String(ERROR_CATALOGUE[code].status);
    byStatus[status] = [...(byStatus[status] ?? []), code];
  }
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Error" } } };
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, codes]) => [
      status,
      { description: [...new Set(codes)].join(", "), content },
    ]),
  );
}

function errorSchema(): Schema {
  const code = { type: "string", enum: Object.keys(ERROR_CATALOGUE) };
  const error = {
    type: "object",
    required: ["code", "message", "remedy", "details"],
    properties: { code, message: { type: "string" }, remedy: { type: "string" }, details: { type: "object" } },
  };
  return { type: "object", required: ["error"], properties: { error } };
}

/** The schema of any JSON value refers to itself, so it must be one of the shared schemas. */
function pathSchema(schema: z.ZodType, io: "input" | "output"): Schema {
  const { $schema: _dialect, $defs: _json, ...rest } = jsonSchema(schema, io);
  return JSON.parse(JSON.stringify(rest).replaceAll('"#/$defs/__schema0"', '"#/components/schemas/Json"'));
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

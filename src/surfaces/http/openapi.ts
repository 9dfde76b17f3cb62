import { ERROR_CATALOGUE } from "../../contract/index.ts";
import { pathsOf, type Syscall } from "../../syscalls/index.ts";
import { createNamedSchemas, type NamedSchemas, pathSchema, record, type Schema } from "./named-schemas.ts";

/**
 * OpenAPI 3.1, derived from the table: nothing in it is written by hand. `origin`: where it was asked for; without one it
 * describes a daemon on this machine.
 */
export function openApi(syscalls: readonly Syscall[], version: string, origin: string | null): Schema {
  const schemas = createNamedSchemas({ Error: errorSchema(), Json: {} });
  const paths: Record<string, Record<string, Schema>> = {};
  for (const syscall of syscalls)
    for (const [at, path] of pathsOf(syscall.http).entries()) {
      const spelled = path.replace(/:(\w+)/g, "{$1}");
      // An operation's id is unique: only the syscall's own path has its name.
      const alias = at === 0 ? {} : { operationId: `${syscall.name}.alias${at}`, "x-alias-of": syscall.http.path };
      paths[spelled] = {
        ...paths[spelled],
        [syscall.http.method.toLowerCase()]: { ...operation(syscall, schemas), ...alias },
      };
    }
  return {
    openapi: "3.1.0",
    info: { title: "Nomos", version, description: "An operating system for AI agent sessions." },
    servers: [origin === null ? LOCAL_SERVER : { url: origin }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: schemas.all(),
    },
  };
}

/** `daemon.json` in the home names the port in use. */
const LOCAL_SERVER = {
  url: "http://127.0.0.1:{port}",
  variables: { port: { default: "4200", description: "$NOMOS_PORT, or the `port` in `daemon.json` of the home" } },
};

function operation(syscall: Syscall, schemas: NamedSchemas): Schema {
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
    schema: schemas.named(record(properties[name])),
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
    ...(byQuery || rest.length === 0
      ? {}
      : { requestBody: jsonContent(schemas.own(`${ownName(syscall)}Input`, body)) }),
    responses: { [syscall.http.status ?? 200]: success(syscall, schemas), ...failures(syscall) },
  };
}

/** `session.start` -> `SessionStart` */
function ownName({ name }: Syscall): string {
  return name.replace(/(?:^|\.)(\w)/g, (_whole, letter: string) => letter.toUpperCase());
}

function jsonContent(schema: Schema): Schema {
  return { content: { "application/json": { schema } } };
}

function success(syscall: Syscall, schemas: NamedSchemas): Schema {
  const type = syscall.kind === "stream" ? "text/event-stream" : "application/json";
  const output = pathSchema(syscall.output, "output");
  const text = syscall.http.text === undefined ? {} : { "text/plain": { schema: { type: "string" } } };
  const content = { ...text, [type]: { schema: schemas.own(`${ownName(syscall)}Output`, output) } };
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

import { describe, expect, test } from "vitest";
import { openApi } from "../src/surfaces/index.ts";
import { pathsOf, SYSCALLS } from "../src/syscalls/index.ts";

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: object;
}

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: object };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content: object }>>;
}

interface Document {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly {
    readonly url: string;
    readonly variables?: Record<string, { readonly default: string }>;
  }[];
  readonly security: readonly Record<string, unknown>[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly securitySchemes: Record<string, unknown>;
    readonly schemas: Record<string, Record<string, unknown>>;
  };
}

const documentOf = (origin: string | null): Document => JSON.parse(JSON.stringify(openApi(SYSCALLS, "1.2.3", origin)));
const document = documentOf(null);
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

describe("openapi.json keeps the rules of OpenAPI 3.1", () => {
  test("it names its version, its server and its security", () => {
    expect(document).toMatchObject({ openapi: "3.1.0", info: { title: "Nomos", version: "1.2.3" } });
    expect(documentOf("https://nomos.example").servers).toEqual([{ url: "https://nomos.example" }]);
    const [server] = document.servers;
    const variables = [...(server?.url ?? "").matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(Object.keys(server?.variables ?? {})).toEqual(variables);
    for (const scheme of document.security.flatMap((one) => Object.keys(one)))
      expect(document.components.securitySchemes).toHaveProperty(scheme);
  });

  test("every route of every syscall is an operation, and there is no other", () => {
    const spelled = (path: string) => path.replace(/:(\w+)/g, "{$1}");
    const routes = SYSCALLS.flatMap(({ http }) => pathsOf(http).map((path) => `${http.method} ${spelled(path)}`));
    expect(operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`).toSorted()).toEqual(
      routes.toSorted(),
    );
  });

  test("operation ids are unique", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids.toSorted()).toEqual([...new Set(ids)].toSorted());
  });

  test("the parameters of a path are exactly its path parameters, required, each once", () => {
    for (const { path, operation } of operations) {
      const inPath = operation.parameters.filter((one) => one.in === "path");
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
      expect(inPath.map(({ name }) => name).toSorted(), path).toEqual(named.toSorted());
      expect(
        inPath.every(({ required }) => required),
        path,
      ).toBe(true);
      const keys = operation.parameters.map((one) => `${one.in} ${one.name.toLowerCase()}`);
      expect(new Set(keys).size, path).toBe(keys.length);
      expect(
        operation.parameters.every(({ schema }) => typeof schema === "object"),
        path,
      ).toBe(true);
    }
  });

  test("a read has no body, every operation has an answer, and every answer a description", () => {
    for (const { path, method, operation } of operations) {
      if (method === "get" || method === "delete") expect(operation.requestBody, path).toBeUndefined();
      expect(
        Object.keys(operation.responses).filter((status) => /^2\d\d$/.test(status)),
        path,
      ).toHaveLength(1);
      for (const [status, answer] of Object.entries(operation.responses)) {
        expect(status).toMatch(/^[2-5]\d\d$/);
        expect(answer.description).not.toBe("");
      }
    }
  });

  test("every reference resolves, every schema is used, and its name is allowed", () => {
    const names = Object.keys(document.components.schemas);
    expect(new Set(found(document, "$ref"))).toEqual(new Set(names.map((name) => `#/components/schemas/${name}`)));
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9._-]+$/);
    for (const keyword of ["$schema", "$defs", "$id", "definitions"]) expect(found(document, keyword)).toEqual([]);
    const types = found(document.components.schemas, "type");
    expect(types.filter((type) => !TYPES.includes(String(type)))).toEqual([]);
  });

  test("shared shapes have a name and are referred to wherever they stand", () => {
    const { schemas } = document.components;
    expect(Object.keys(schemas)).toEqual(
      expect.arrayContaining(["Session", "Approval", "Event", "Error", "Agent", "SessionStartInput"]),
    );
    const refOf = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    expect(schemas["SessionListOutput"]).toMatchObject({ properties: { sessions: { items: refOf("Session") } } });
    expect(schemas["SessionStartOutput"]).toMatchObject({ allOf: [refOf("Session"), { type: "object" }] });
    expect(document.paths["/sessions/{id}"]?.["get"]?.responses["200"]?.content).toEqual({
      "application/json": { schema: refOf("Session") },
    });
    for (const { path, operation } of operations)
      for (const [status, { content }] of Object.entries(operation.responses))
        if (!status.startsWith("2")) expect(content, path).toEqual({ "application/json": { schema: refOf("Error") } });
  });
});

const TYPES = ["null", "boolean", "object", "array", "number", "string", "integer"];

/** The values of a keyword, wherever it stands; a property of that name is a schema and no keyword. */
function found(value: unknown, keyword: string): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => found(item, keyword));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [
    ...(key === keyword && typeof member === "string" ? [member] : []),
    ...found(member, keyword),
  ]);
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openApi } from "../src/surfaces/index.ts";
import { pathsOf, SYSCALLS, type Syscall } from "../src/syscalls/index.ts";
import { proves } from "./support/proves.ts";

/** Served beside the table; no definition may take their place. */
const OWN_ROUTES = ["/health", "/openapi.json", "/mcp", "/api/ws"].map((path) => ({ name: path, method: "*", path }));

interface Route {
  readonly name: string;
  readonly method: string;
  readonly path: string;
}

function routesOf(table: readonly Pick<Syscall, "name" | "http">[]): readonly Route[] {
  const own = table.flatMap(({ name, http }) => pathsOf(http).map((path) => ({ name, method: http.method, path })));
  return [...own, ...OWN_ROUTES];
}

/** Pairs of routes that one request could fit, so that the order of the table would decide. */
function conflictsIn(routes: readonly Route[]): readonly string[] {
  return routes.flatMap((one, at) =>
    routes
      .slice(at + 1)
      .flatMap((other) => (fitBoth(one, other) ? [`${one.name} and ${other.name}: ${other.path}`] : [])),
  );
}

function fitBoth(one: Route, other: Route): boolean {
  const isSameMethod = one.method === other.method || one.method === "*" || other.method === "*";
  const [ours, theirs] = [one.path.split("/"), other.path.split("/")];
  const isFree = (part: string | undefined) => part?.startsWith(":") === true;
  return (
    isSameMethod &&
    ours.length === theirs.length &&
    ours.every((part, at) => part === theirs[at] || isFree(part) || isFree(theirs[at]))
  );
}

proves("H23", "no request fits two definitions: neither their paths nor their aliases overlap", () => {
  expect(conflictsIn(routesOf(SYSCALLS))).toEqual([]);
});

test("a path or an alias that overlaps with another one is found", () => {
  const define = (name: string, path: string, aliases: readonly string[] = []) => ({
    name,
    http: { method: "GET" as const, path, aliases },
  });
  const shown = define("thing.show", "/things/:id");
  expect(conflictsIn(routesOf([shown, define("thing.best", "/things/best")]))).toHaveLength(1);
  expect(conflictsIn(routesOf([shown, define("thing.best", "/best", ["/things/:slug"])]))).toHaveLength(1);
  expect(conflictsIn(routesOf([define("thing.up", "/health")]))).toHaveLength(1);
  expect(conflictsIn(routesOf([shown, define("thing.parts", "/things/:id/parts", ["/parts/:id/all"])]))).toEqual([]);
});

test("an alias has the members in its path that the syscall's own path has", () => {
  const members = (path: string) => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name).sort();
  for (const { http } of SYSCALLS)
    for (const alias of http.aliases ?? []) expect(members(alias)).toEqual(members(http.path));
});

proves("H23", "every alias is in OpenAPI with an operation id of its own, and on the page of syscalls", () => {
  const { paths } = JSON.parse(JSON.stringify(openApi(SYSCALLS, "0", null)));
  const page = readFileSync(join(import.meta.dirname, "../docs/reference/syscalls.md"), "utf8");
  const aliased = SYSCALLS.filter(({ http }) => http.aliases !== undefined);
  expect(aliased.length).toBeGreaterThan(0);
  for (const { name, http } of aliased)
    for (const [at, path] of (http.aliases ?? []).entries()) {
      const operation = paths[path.replace(/:(\w+)/g, "{$1}")][http.method.toLowerCase()];
      expect(operation).toMatchObject({ operationId: `${name}.alias${at + 1}`, "x-alias-of": http.path });
      expect(page).toContain(`also \`${http.method} ${path}\``);
    }
  const operations = Object.values<object>(paths).flatMap((path) => Object.values(path));
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

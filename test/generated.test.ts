import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { parseSync, Visitor } from "oxc-parser";
import { describe, expect, test } from "vitest";
import { ERRORS } from "../src/client/index.ts";
import { AGENT_ERRORS } from "../src/contract/errors/agent-errors.ts";
import { BACKUP_ERRORS } from "../src/contract/errors/backup-errors.ts";
import { EMBEDDING_ERRORS } from "../src/contract/errors/embedding-errors.ts";
import { ENGINE_ERRORS } from "../src/contract/errors/engine-errors.ts";
import { FANOUT_ERRORS } from "../src/contract/errors/fanout-errors.ts";
import { GOVERNANCE_ERRORS } from "../src/contract/errors/governance-errors.ts";
import { HOST_ERRORS } from "../src/contract/errors/host-errors.ts";
import { LANDING_ERRORS } from "../src/contract/errors/landing-errors.ts";
import { LAW_BRANCH_ERRORS } from "../src/contract/errors/law-branch-errors.ts";
import { LOG_ERRORS } from "../src/contract/errors/log-errors.ts";
import { REQUEST_ERRORS } from "../src/contract/errors/request-errors.ts";
import { SECRET_ERRORS } from "../src/contract/errors/secret-errors.ts";
import { SESSION_ERRORS } from "../src/contract/errors/session-errors.ts";
import { SNAPSHOT_ERRORS } from "../src/contract/errors/snapshot-errors.ts";
import { TOOL_ERRORS } from "../src/contract/errors/tool-errors.ts";
import { WEB_ERRORS } from "../src/contract/errors/web-errors.ts";
import { WORK_ERRORS } from "../src/contract/errors/work-errors.ts";
import { WORKTREE_ERRORS } from "../src/contract/errors/worktree-errors.ts";
import { ERROR_CATALOGUE } from "../src/contract/index.ts";
import { STORE_ERROR_CODES } from "../src/store/index.ts";
import { SYSCALLS } from "../src/syscalls/index.ts";
import { generatedFiles, staleFiles, writeGenerated } from "../tools/generate/generated-files.ts";
import { plantTree } from "./support/plant-tree.ts";

const ROOT = join(import.meta.dirname, "..");

describe("generated files", () => {
  test("generated files match the sources: otherwise run `npm run docs`", async () => {
    expect(await staleFiles(ROOT)).toEqual([]);
  });

  test("`npm run docs -- --check` reports a difference by its exit code", async () => {
    const check = await promisify(execFile)(process.execPath, [join(ROOT, "tools/docs.ts"), "--check"]);
    expect(check).toEqual({ stdout: "", stderr: "" });
  });

  test("one changed byte is found, and writing restores only that file", async () => {
    const root = await plantTree({});
    for (const name of ["node_modules", "package.json", "biome.json", ".gitignore"])
      await symlink(join(ROOT, name), join(root, name));
    for (const path of globSync(["src/{kernel,domains}/**/*.ts", "src/redaction/filter/*.wat"], { cwd: ROOT }))
      await copy(path, root);
    expect((await writeGenerated(root)).length).toBe((await generatedFiles(root)).size);
    expect(await staleFiles(root)).toEqual([]);
    const page = join(root, "docs/reference/errors.md");
    await writeFile(page, `${await readFile(page, "utf8")} `);
    expect(await staleFiles(root)).toEqual(["docs/reference/errors.md"]);
    expect(await writeGenerated(root)).toEqual(["docs/reference/errors.md"]);
  });

  test("every syscall is in the reference, the client and OpenAPI", async () => {
    const files = await generatedFiles(ROOT);
    for (const { name, http } of SYSCALLS) {
      expect(files.get("docs/reference/syscalls.md")).toContain(`### ${name}\n`);
      expect(files.get("docs/reference/permissions.md")).toContain(`| \`${name}\` |`);
      expect(files.get("src/client/types.generated.ts")).toContain(`"${name}": {`);
      expect(files.get("docs/reference/openapi.json")).toContain(`"operationId": "${name}"`);
      expect(http.path).toMatch(/^\//);
    }
  });

  test("every reference in OpenAPI resolves", async () => {
    const text = (await generatedFiles(ROOT)).get("docs/reference/openapi.json") ?? "";
    const { components }: { components: { schemas: Record<string, unknown> } } = JSON.parse(text);
    const referred = [...text.matchAll(/"\$ref": "([^"]+)"/g)].map(([, target]) => target);
    expect(referred.length).toBeGreaterThan(0);
    expect(new Set(referred)).toEqual(
      new Set(Object.keys(components.schemas).map((name) => `#/components/schemas/${name}`)),
    );
  });
});

describe("error codes", () => {
  test("every refused or thrown code is in the catalogue, and every code of the catalogue is used", async () => {
    const missing = SYSCALLS.flatMap((syscall) => Object.values(syscall.missing ?? {}));
    const used = new Set<string>([...STORE_ERROR_CODES, ...missing, ...(await codesInSources())]);
    expect([...used].filter((code) => !(code in ERROR_CATALOGUE))).toEqual([]);
    expect(Object.keys(ERROR_CATALOGUE).filter((code) => !used.has(code))).toEqual([]);
  });

  test("the page and the client list the same codes", async () => {
    const page = await readFile(join(ROOT, "docs/reference/errors.md"), "utf8");
    const listed = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code);
    expect(listed).toEqual(Object.keys(ERROR_CATALOGUE).sort());
    expect(ERRORS).toEqual(ERROR_CATALOGUE);
  });

  test("each code belongs to one family", () => {
    const families = [
      AGENT_ERRORS,
      EMBEDDING_ERRORS,
      ENGINE_ERRORS,
      REQUEST_ERRORS,
      FANOUT_ERRORS,
      GOVERNANCE_ERRORS,
      HOST_ERRORS,
      BACKUP_ERRORS,
      LANDING_ERRORS,
      LAW_BRANCH_ERRORS,
      LOG_ERRORS,
      SECRET_ERRORS,
      SESSION_ERRORS,
      SNAPSHOT_ERRORS,
      TOOL_ERRORS,
      WEB_ERRORS,
      WORK_ERRORS,
      WORKTREE_ERRORS,
    ].flatMap((family) => Object.keys(family));
    expect(families.toSorted()).toEqual(Object.keys(ERROR_CATALOGUE).sort());
  });

  test("each code is spelled in lower_snake and has a remedy", () => {
    for (const [code, { message, remedy, status, exit }] of Object.entries(ERROR_CATALOGUE)) {
      expect(code).toMatch(/^[a-z0-9]+(_[a-z0-9]+)*$/);
      expect(message).toMatch(/^[A-Z].*\.$/);
      expect(remedy).toMatch(/\.$/);
      expect(status).toBeGreaterThanOrEqual(400);
      expect([1, 2, 3, 4, 5, 6]).toContain(exit);
    }
  });
});

async function copy(path: string, root: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), await readFile(join(ROOT, path)));
}

/** Functions that take a code as their first argument, and types that list codes. */
const SPEAKERS: readonly string[] = [
  "NomosError",
  "StoreError",
  "HostError",
  "DriverError",
  "SnapshotError",
  "ClientError",
  "TurnFailure",
  "refuse",
  "lawProblem",
];
const LISTS: readonly string[] = ["HostErrorCode", "DriverErrorCode", "EngineErrorCode", "SnapshotErrorCode"];

/** Every code in the sources that is thrown, refused, or listed in a type of codes. */
async function codesInSources(): Promise<readonly string[]> {
  const paths = await readdir(join(ROOT, "src"), { recursive: true });
  const sources = paths.filter((path) => path.endsWith(".ts") && !/\.(test|generated)\.ts$/.test(path));
  expect(sources.length).toBeGreaterThan(100);
  return (await Promise.all(sources.map(codesIn))).flat();
}

async function codesIn(path: string): Promise<readonly string[]> {
  const { program } = parseSync(path, await readFile(join(ROOT, "src", path), "utf8"));
  const places: { readonly start: number; readonly end: number }[] = [];
  const codes: string[] = [];
  const speak = (node: { readonly callee: object; readonly arguments: readonly (typeof places)[number][] }): void => {
    const [first] = node.arguments;
    const speaker: unknown = Reflect.get(node.callee, "name");
    if (first !== undefined && typeof speaker === "string" && SPEAKERS.includes(speaker)) places.push(first);
  };
  new Visitor({
    NewExpression: speak,
    CallExpression: speak,
    TSTypeAliasDeclaration: (node) => {
      if (LISTS.includes(node.id.name)) places.push(node);
    },
  }).visit(program);
  new Visitor({
    Literal: ({ value, start, end }) => {
      const isSpoken = places.some((place) => start >= place.start && end <= place.end);
      if (isSpoken && typeof value === "string" && CODE.test(value)) codes.push(value);
    },
  }).visit(program);
  return codes;
}

/** A code has at least two words, or is one of these; other bare words are arguments. */
const CODE = /^([a-z0-9]+(_[a-z0-9]+)+|denied|internal|overloaded|starting|unauthorized|unproven|usage)$/;

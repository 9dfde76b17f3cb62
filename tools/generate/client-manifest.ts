import { type CatalogueEntry, encodeEntry, type Member, type SyscallEntry } from "../../src/client/manifest.ts";
import { ERROR_CATALOGUE } from "../../src/contract/index.ts";
import { SYSCALLS, type Syscall } from "../../src/syscalls/index.ts";
import { isFlag, type JsonSchema, schemaOf } from "./json-schema.ts";

/** The index that every client loads: where each syscall is, and its short form on the command line. */
export function clientManifest(table: readonly Syscall[] = SYSCALLS): string {
  const routes = table.map(({ name, http }) => [name, `${http.method} ${http.path}`] as const);
  const streams = table.filter(({ kind }) => kind === "stream").map(({ name }) => name);
  const shorts = table.flatMap(({ name, cli }) => (cli.short === undefined ? [] : [[cli.short, name] as const]));
  return [
    GENERATED,
    'import type { SyscallTypes } from "./types.generated.ts";',
    "",
    `export const ROUTES: { readonly [name in keyof SyscallTypes]: string } = ${JSON.stringify(Object.fromEntries(routes))};`,
    "",
    `export const STREAMS: readonly string[] = ${JSON.stringify(streams)};`,
    "",
    `export const SHORT_FORMS: { readonly [short: string]: keyof SyscallTypes } = ${JSON.stringify(Object.fromEntries(shorts))};`,
    "",
  ].join("\n");
}

/** The rest of each syscall without handler and schemas, as text that is decoded when it is asked for. */
export function clientDetails(table: readonly Syscall[] = SYSCALLS): string {
  const rows = table.map(
    (syscall) => `  ${JSON.stringify(syscall.name)}: ${literal(encodeEntry(syscallEntry(syscall)))},`,
  );
  return [
    GENERATED,
    'import type { SyscallTypes } from "./types.generated.ts";',
    "",
    "export const DETAILS: { readonly [name in keyof SyscallTypes]: string } = {",
    ...rows,
    "};",
    "",
  ].join("\n");
}

/** In the quotes that need fewer escapes: text that is JSON is full of the double ones. */
function literal(text: string): string {
  const double = JSON.stringify(text);
  const single = `'${double.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  return single.length < double.length ? single : double;
}

export function clientErrors(): string {
  const errors: { [code: string]: CatalogueEntry } = { ...ERROR_CATALOGUE };
  return [
    GENERATED,
    'import type { CatalogueEntry } from "./manifest.ts";',
    'import type { ErrorCode } from "./types.generated.ts";',
    "",
    `export const ERRORS = ${JSON.stringify(errors)} as const satisfies { readonly [code in ErrorCode]: CatalogueEntry };`,
    "",
  ].join("\n");
}

const GENERATED = "// Generated from the syscall table by `npm run docs`.";

export function syscallEntry(syscall: Syscall): SyscallEntry {
  const { method, path } = syscall.http;
  const { short, ...cli } = syscall.cli;
  return {
    name: syscall.name,
    summary: syscall.summary,
    kind: syscall.kind,
    permission: syscall.permission,
    errors: syscall.errors,
    http: { method, path },
    cli: { ...cli, short: short ?? null },
    // A secret is never an argument: others see those, and shells remember them.
    input: members(schemaOf(syscall.input, "input")).filter(
      ({ name }) => syscall.confidential?.includes(name) !== true,
    ),
  };
}

function members(schema: JsonSchema): readonly Member[] {
  return Object.entries(schema.properties ?? {}).map(([name, member]) => ({
    name,
    type: memberType(member),
    required: schema.required?.includes(name) ?? false,
    description: member.description ?? "",
    values: isFlag(member) ? null : (member.enum?.map(String) ?? null),
  }));
}

function memberType(schema: JsonSchema): Member["type"] {
  if (isFlag(schema)) return "boolean";
  const branches = schema.anyOf ?? [schema];
  const is = (type: string) => branches.some((branch) => branch.type === type);
  if (branches.some((branch) => branch.type === "array" && branch.items?.type === "string")) return "list";
  // Tested before numbers: a cursor is a position or an id, and text can hold both.
  if (is("string")) return "text";
  if (is("integer") || is("number")) return "number";
  return "json";
}

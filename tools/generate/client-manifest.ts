import type { CatalogueEntry, Member, SyscallEntry } from "../../src/client/manifest.ts";
import { ERROR_CATALOGUE } from "../../src/contract/index.ts";
import { SYSCALLS, type Syscall } from "../../src/syscalls/index.ts";
import { isFlag, type JsonSchema, schemaOf } from "./json-schema.ts";

/** The syscall table without handlers and schemas: what a client and a command line need, loaded in a millisecond. */
export function clientManifest(): string {
  const syscalls = Object.fromEntries(SYSCALLS.map((syscall) => [syscall.name, syscallEntry(syscall)]));
  const errors: { [code: string]: CatalogueEntry } = { ...ERROR_CATALOGUE };
  return [
    "// Generated from the syscall table by `npm run docs`.",
    'import type { CatalogueEntry, SyscallEntry } from "./manifest.ts";',
    'import type { ErrorCode, SyscallTypes } from "./types.generated.ts";',
    "",
    `export const SYSCALLS = ${JSON.stringify(syscalls)} as const satisfies { readonly [name in keyof SyscallTypes]: SyscallEntry };`,
    "",
    `export const ERRORS = ${JSON.stringify(errors)} as const satisfies { readonly [code in ErrorCode]: CatalogueEntry };`,
    "",
  ].join("\n");
}

export function syscallEntry(syscall: Syscall): SyscallEntry {
  const { method, path, status } = syscall.http;
  const { positional, short } = syscall.cli;
  return {
    summary: syscall.summary,
    kind: syscall.kind,
    permission: syscall.permission,
    errors: syscall.errors,
    http: { method, path, status: status ?? 200 },
    cli: { positional, short: short ?? null },
    input: members(schemaOf(syscall.input, "input")),
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

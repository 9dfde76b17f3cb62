import { camelCase } from "../../src/client/camel-case.ts";
import { ERROR_CATALOGUE } from "../../src/contract/index.ts";
import { SYSCALLS } from "../../src/syscalls/index.ts";
import { schemaOf } from "./json-schema.ts";
import { sharedTypes } from "./shared-types.ts";
import { typeText } from "./type-text.ts";

/** Input and output types of every syscall, for the typed client. */
export function clientTypes(): string {
  const { named, declared } = sharedTypes();
  const syscalls = SYSCALLS.map(({ name, summary, kind, input, output }) => {
    const asked = typeText(schemaOf(input, "input"), named);
    const answered = typeText(schemaOf(output, "output"), named);
    return `/** ${summary}. */\n"${name}": { readonly kind: "${kind}"; readonly input: ${asked}; readonly output: ${answered} };`;
  });
  const codes = Object.keys(ERROR_CATALOGUE).map((code) => JSON.stringify(code));
  return [
    "// Generated from the syscall table by `npm run docs`.",
    "export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };",
    "",
    ...declared,
    `export interface SyscallTypes {\n${syscalls.join("\n")}\n}`,
    "",
    `export type ErrorCode = ${codes.join(" | ")};`,
    "",
  ].join("\n");
}

/** The syscalls as functions, by family, each with its summary: what an editor shows. */
export function clientFamilies(): string {
  const families = new Map<string, string[]>();
  for (const { name, summary } of SYSCALLS) {
    const [family = "", verb = ""] = camelCase(name).split(".");
    const verbs = families.get(family) ?? [];
    families.set(family, [...verbs, `/** ${summary}. */\nreadonly ${verb}: Verb<"${name}">;`]);
  }
  const members = [...families].map(([family, verbs]) => `readonly ${family}: {\n${verbs.join("\n")}\n};`);
  return [
    "// Generated from the syscall table by `npm run docs`.",
    'import type { Verb } from "./verb.ts";',
    "",
    `export interface Families {\n${members.join("\n")}\n}`,
    "",
  ].join("\n");
}

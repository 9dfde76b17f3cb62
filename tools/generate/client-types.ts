import {
  AgentWire,
  ApprovalWire,
  ArtifactWire,
  ERROR_CATALOGUE,
  EventWire,
  SessionWire,
  TodoWire,
} from "../../src/contract/index.ts";
import { SYSCALLS } from "../../src/syscalls/index.ts";
import { schemaOf } from "./json-schema.ts";
import { typeText } from "./type-text.ts";

/** Shapes that many syscalls share, under the name a person would use. */
const SHARED = {
  Agent: AgentWire,
  Approval: ApprovalWire,
  Artifact: ArtifactWire,
  LogEvent: EventWire,
  Session: SessionWire,
  TodoItem: TodoWire,
};

export function clientTypes(): string {
  const named = new Map<string, string>();
  const shared = Object.entries(SHARED).map(([name, schema]) => {
    const text = typeText(schemaOf(schema, "output"), named);
    named.set(text, name);
    return `export type ${name} = ${text};\n`;
  });
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
    ...shared,
    `export interface SyscallTypes {\n${syscalls.join("\n")}\n}`,
    "",
    `export type ErrorCode = ${codes.join(" | ")};`,
    "",
  ].join("\n");
}

import { usageOf } from "../../src/cli/syscall/usage.ts";
import type { Member } from "../../src/client/manifest.ts";
import { SYSCALLS, type Syscall } from "../../src/syscalls/index.ts";
import { syscallEntry } from "./client-manifest.ts";
import { schemaOf } from "./json-schema.ts";
import { code, fence, page, table } from "./markdown.ts";
import { sharedTypes } from "./shared-types.ts";
import { typeText } from "./type-text.ts";

export function syscallsPage(): string {
  const families = [...new Set(SYSCALLS.map(({ name }) => name.split(".")[0] ?? ""))];
  const { named } = sharedTypes();
  return page(
    "Syscalls",
    `The ${SYSCALLS.length} capabilities, each defined once and served the same on every surface. Types that several share (${[...named.values()].map(code).join(", ")}) are in \`src/client/types.generated.ts\`. Unknown members of a request are ignored. Every write takes an \`Idempotency-Key\`: repeating the call with it changes nothing twice.`,
    table(
      ["syscall", "HTTP", "what it does"],
      SYSCALLS.map(({ name, http, summary }) => [
        `[${name}](#${name.replace(".", "")})`,
        code(`${http.method} ${http.path}`),
        summary,
      ]),
    ),
    ...families.flatMap((family) => [
      `## ${family}`,
      ...SYSCALLS.filter(({ name }) => name.startsWith(`${family}.`)).flatMap((syscall) => describe(syscall, named)),
    ]),
  );
}

function describe(syscall: Syscall, named: ReadonlyMap<string, string>): readonly string[] {
  const entry = syscallEntry(syscall);
  const { name, summary, kind, permission, http, errors } = syscall;
  const short = syscall.cli.short === undefined ? [] : [usageOf(syscall.cli.short, entry)];
  const facts = [
    `${kind}; needs ${code(permission)}`,
    `${code(`${http.method} ${http.path}`)} -> ${http.status ?? 200}`,
    ...(http.aliases ?? []).map((path) => `also ${code(`${http.method} ${path}`)}`),
    ...[usageOf(name.replace(".", " "), entry), ...short].map(code),
    ...(errors.length === 0 ? [] : [`refused with ${errors.map(code).join(", ")}`]),
  ];
  return [
    `### ${name}`,
    `${summary}.`,
    facts.map((one) => `- ${one}`).join("\n"),
    ...(entry.input.length === 0 ? [] : [table(["input", "type", "", "meaning"], entry.input.map(memberRow))]),
    kind === "stream" ? "Server-sent events; the output is:" : "Output:",
    fence("ts", typeText(schemaOf(syscall.output, "output"), named)),
  ];
}

function memberRow({ name, type, required, description, values }: Member): readonly string[] {
  return [code(name), values === null ? type : values.map(code).join(", "), required ? "required" : "", description];
}

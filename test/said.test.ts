import { expect, test } from "vitest";
import type { SaidIf, SaidLine } from "../src/syscalls/define.ts";
import { SYSCALLS, type Syscall } from "../src/syscalls/index.ts";
import { type JsonSchema, schemaOf } from "../tools/generate/json-schema.ts";
import { proves } from "./support/proves.ts";

/** `sandbox run` prints what the command printed, `secret scan` a report. */
const PRINTS_ITSELF: readonly string[] = ["sandbox.run", "secret.scan"];

proves("T13", "every write says in sentences what it did", () => {
  const silent = SYSCALLS.filter(({ kind, cli }) => kind === "write" && (cli.says ?? []).length === 0);
  expect(silent.map(({ name }) => name)).toEqual(PRINTS_ITSELF);
});

proves("T13", "what a syscall says names only members of its answer and its input", () => {
  const wrong = SYSCALLS.flatMap((syscall) =>
    placesIn(syscall)
      .filter((path) => !isThere(syscall, path))
      .map((path) => `${syscall.name}: ${path}`),
  );
  expect(wrong).toEqual([]);
});

test("a sentence ends with a full stop, unless it ends with a value or is a next step", () => {
  const odd = SYSCALLS.flatMap(({ name, cli }) =>
    (cli.says ?? [])
      .flatMap(linesIn)
      .filter((line) => !/\.$|\}\)?$|Next: /.test(line))
      .map((line) => `${name}: ${line}`),
  );
  expect(odd).toEqual([]);
});

function linesIn(said: SaidLine): readonly string[] {
  return typeof said === "string" ? [said] : conditionsIn(said).map(([, , line]) => line);
}

function conditionsIn(said: SaidLine): readonly SaidIf[] {
  if (typeof said === "string") return [];
  return Array.isArray(said[0]) ? (said as readonly SaidIf[]) : [said as SaidIf];
}

function placesIn({ cli }: Syscall): readonly string[] {
  const lines = [...(cli.says ?? []).flatMap(linesIn), ...(cli.card ?? []).map(([, line]) => line)];
  const conditions = (cli.says ?? []).flatMap(conditionsIn).map(([member]) => member);
  return [...lines.flatMap((line) => [...line.matchAll(/\{([\w.]+)/g)].map(([, path = ""]) => path)), ...conditions];
}

function isThere({ input, output }: Syscall, path: string): boolean {
  if (path === "took") return true;
  const [first, ...rest] = path.split(".");
  return first === "input" ? has(schemaOf(input, "input"), rest) : has(schemaOf(output, "output"), path.split("."));
}

function has(schema: JsonSchema, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true;
  if (schema.anyOf !== undefined) return schema.anyOf.some((one) => has(one, [first, ...rest]));
  if (first === "length") return schema.type === "array";
  const member = schema.properties?.[first];
  return member === undefined ? typeof schema.additionalProperties === "object" : has(member, rest);
}

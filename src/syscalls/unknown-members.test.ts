import { expect, test } from "vitest";
import * as z from "zod";
import { SYSCALLS } from "./table.ts";
import { unknownMembers } from "./unknown-members.ts";

const Schema = z.object({
  id: z.string(),
  scope: z.object({ allow: z.array(z.string()).optional() }).optional(),
  parts: z.array(z.object({ name: z.string() })).default([]),
  free: z.record(z.string(), z.unknown()).optional(),
  loose: z.looseObject({}).optional(),
  either: z.union([z.string(), z.object({ a: z.string() })]).optional(),
});

test("members that the schema does not have are found at any depth; free ones are not reported", () => {
  const input = {
    id: 1,
    promt: "x",
    scope: { alow: [] },
    parts: [{ name: "a", nam: "b" }, { nam: "c" }],
    free: { any: { thing: 1 } },
    loose: { any: 1 },
    either: { b: 1 },
  };
  expect(unknownMembers(Schema, input)).toEqual(["promt", "scope.alow", "parts.nam"]);
  expect(unknownMembers(Schema, { id: "a" })).toEqual([]);
});

test("names are cut and counted: a caller cannot make the list long", () => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`${"\u{1f600}".repeat(100)}${at}`, at]));
  const found = unknownMembers(Schema, { ...many, ...Object.fromEntries([["__proto__x", 1]]) });
  expect(found.length).toBeLessThanOrEqual(8);
  expect(found.every((name) => name.length <= 43 && name.isWellFormed())).toBe(true);
  expect(unknownMembers(Schema, JSON.parse('{"__proto__": 1, "constructor": 2, "a": 3}'))).toEqual([
    "__proto__",
    "constructor",
    "a",
  ]);
});

test("every member of every syscall is known to it", () => {
  for (const { name, input } of SYSCALLS)
    expect(unknownMembers(input, Object.fromEntries(Object.keys(input.shape).map((key) => [key, null]))), name).toEqual(
      [],
    );
});

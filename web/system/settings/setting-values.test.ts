import { expect, test } from "vitest";
import { changeOf, inputOf, kindOf, parsedInput } from "./setting-values.ts";

test("a setting's schema decides how it is edited", () => {
  expect(kindOf({ type: "integer", minimum: 1 })).toEqual({ is: "number", min: 1, max: null });
  expect(kindOf({ type: "boolean" })).toEqual({ is: "switch" });
  expect(kindOf({ type: "string", enum: ["a", "b"] })).toEqual({ is: "choice", options: ["a", "b"] });
  expect(kindOf({ type: "array", items: { type: "string" } })).toEqual({ is: "list" });
  expect(kindOf({ type: "object" })).toEqual({ is: "json" });
  expect(kindOf({})).toEqual({ is: "json" });
});

test("what is typed becomes a value of its type; nothing means not set; a wrong one is refused with a reason", () => {
  const number = kindOf({ type: "integer", minimum: 10, maximum: 99 });
  expect(parsedInput(number, " 42 ")).toEqual({ ok: true, value: 42 });
  expect(parsedInput(number, "9")).toEqual({ ok: false, why: "At least 10." });
  expect(parsedInput(number, "100")).toEqual({ ok: false, why: "At most 99." });
  expect(parsedInput(number, "many")).toMatchObject({ ok: false });
  expect(parsedInput(number, "")).toEqual({ ok: true, value: null });
  expect(parsedInput({ is: "list" }, ".env*\n\n node_modules ")).toEqual({
    ok: true,
    value: [".env*", "node_modules"],
  });
  expect(parsedInput({ is: "json" }, "{")).toMatchObject({ ok: false });
  expect(parsedInput({ is: "switch" }, "false")).toEqual({ ok: true, value: false });
});

test("a value and its text in the field belong to each other", () => {
  for (const [kind, value] of [
    [kindOf({ type: "array", items: { type: "string" } }), ["a", "b"]],
    [kindOf({ type: "object" }), { a: 1 }],
    [kindOf({ type: "boolean" }), true],
    [kindOf({ type: "integer" }), 5],
    [kindOf({ type: "string" }), "x"],
  ] as const)
    expect(parsedInput(kind, inputOf(kind, value))).toEqual({ ok: true, value });
});

test("one member of an object is changed: its neighbours stay, and an object without members is removed", () => {
  const config = { worktree: { carry: ["x"], alternates: true }, sandbox: { cpus: 2 } };
  expect(changeOf(config, "worktree.alternates", false)).toEqual({ worktree: { carry: ["x"], alternates: false } });
  expect(changeOf(config, "worktree.alternates", null)).toEqual({ worktree: { carry: ["x"] } });
  expect(changeOf(config, "sandbox.cpus", null)).toEqual({ sandbox: null });
  expect(changeOf(config, "limits.homeBytes", 5)).toEqual({ limits: { homeBytes: 5 } });
  expect(changeOf(config, "turnTimeoutMs", 5)).toEqual({ turnTimeoutMs: 5 });
});

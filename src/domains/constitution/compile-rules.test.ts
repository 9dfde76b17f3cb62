import fc from "fast-check";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import type { Json } from "../../kernel/index.ts";
import { compileRules, LAW_LIMITS, type RuleBlock } from "./compile-rules.ts";

const compile = (dialect: RuleBlock["dialect"], ...values: readonly Json[]) =>
  compileRules(values.map((value, n) => ({ value, line: 10 * n + 1, dialect })));
const RULE = { id: "A", type: "filesystem_deny", patterns: ["src/**"] };

proves("GL-4", "case 18: a rule without an id or a type, and two rules of one id, are refused by their blocks", () => {
  const faultsOf = (...values: readonly Json[]) => compile("nomos", ...values).faults;
  expect(faultsOf({ type: "filesystem_deny", patterns: ["a"] })).toMatchObject([{ line: 1, id: null }]);
  expect(faultsOf(RULE, { id: "B" })).toMatchObject([{ line: 11, id: "B" }]);
  expect(faultsOf(RULE, { ...RULE, id: "B" }, RULE)).toEqual([
    { line: 21, id: "A", reason: "the block in line 1 has the same id" },
  ]);
  expect(compile("nomos", RULE, RULE).rules).toEqual([]);
});

proves("GL-4", "a rule is compiled with all of its members, in one spelling", () => {
  const { rules, notes } = compile(
    "nomos",
    { ...RULE, patterns: ["src/", "*.md"], actions: ["delete", "write", "read"] },
    {
      id: "L",
      type: "require_lock",
    },
  );
  expect(rules).toEqual([
    { id: "A", type: "filesystem_deny", patterns: ["src", "*.md"], actions: [], message: "", checks: [] },
    { id: "L", type: "require_lease", patterns: [], actions: [], message: "", checks: [] },
  ]);
  expect(notes).toMatchObject([
    { id: "A", reason: "its pattern `*.md` means the root alone; `**/*.md` means every folder" },
  ]);
});

proves("GL-4", "what would make a rule mean something else is refused, all of it at once", () => {
  const wrong: readonly (readonly [change: Readonly<Record<string, Json>>, reason: RegExp])[] = [
    [{ pattern: ["src"] }, /unknown member `pattern`. Did you mean `patterns`/],
    [{ patterns: [] }, /`patterns` are no list/],
    [{ patterns: "src/**" }, /`patterns` are no list/],
    [{ patterns: ["../x"] }, /it is no path/],
    [{ patterns: ["a/./b"] }, /it is no path/],
    [{ patterns: ["a?c"] }, /only \* and \*\* are understood/],
    [{ patterns: ["!a"] }, /only \* and \*\* are understood/],
    [{ patterns: ["a\\b"] }, /it is no path/],
    [{ patterns: ["a\u0000"] }, /it is no path/],
    [{ patterns: ["x".repeat(1025)] }, /it is too long/],
    [{ patterns: Array(257).fill("a") }, /1 to 256 patterns/],
    [{ type: "filesystem_denny" }, /type `filesystem_denny` is unknown. Did you mean `filesystem_deny`/],
    [{ type: "constructor" }, /is unknown/],
    [{ actions: ["write", "exec"] }, /`actions` are no list/],
    [{ actions: "write" }, /`actions` are no list/],
    [{ message: 3 }, /`message` is no text/],
    [{ type: "require_checks" }, /it requires no checks/],
    [{ type: "require_checks", checks: ["npm test"] }, /no list of commands/],
    [{ id: "a b" }, /has no `id`/],
    [{ id: "__proto__\n" }, /has no `id`/],
  ];
  for (const [change, reason] of wrong) {
    const { rules, faults } = compile("nomos", { ...RULE, ...change });
    expect([rules, faults.map((one) => one.reason).join()], JSON.stringify(change)).toEqual([
      [],
      expect.stringMatching(reason),
    ]);
  }
  expect(compile("nomos", 3, [], null, { id: "x" }).faults).toHaveLength(4);
  expect(compile("exo", { ...RULE, requires: { approvals: 2 } }).faults).toEqual([]);
  const many = Array.from({ length: LAW_LIMITS.rules + 1 }, (_, n) => ({ ...RULE, id: `R${n}` }));
  expect(compile("nomos", ...many).faults).toMatchObject([{ reason: expect.stringMatching(/more than 2000 rules/) }]);
});

proves("GL-4", "no data raises an exception, and what compiles has all members", () => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue(), { maxLength: 4 }),
      fc.constantFrom("nomos" as const, "exo" as const),
      (values, dialect) => {
        const { rules, faults } = compile(dialect, ...(values as Json[]));
        expect(rules.length === 0 || faults.length === 0).toBe(true);
      },
    ),
  );
});

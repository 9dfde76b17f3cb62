import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import { evolveBy } from "../../kernel/index.ts";
import type { Rule } from "../gate/gate.ts";
import { changePolicy, POLICY_LIMITS } from "./policy.ts";
import { NEW_SYSTEM, System, systemFact } from "./system.ts";

const RULES: readonly Rule[] = [{ id: "r", effect: "deny", verb: "*", resource: "**" }];

proves("GATE-4", "other rules are a change, the same rules are none, and too many are refused", () => {
  expect(changePolicy("old", { hash: "new", rules: RULES }, 50)).toEqual([
    { type: "policy.changed@1", data: { hash: "new", rules: RULES } },
  ]);
  expect(changePolicy("new", { hash: "new", rules: RULES }, 50)).toEqual([]);
  const many = Array.from({ length: POLICY_LIMITS.policyRulesMax.max + 1 }, () => RULES[0] ?? expect.fail("a rule"));
  expect(changePolicy("old", { hash: "new", rules: many }, 50)).toMatchObject({ refused: "policy_too_large" });
  const bytesMax = POLICY_LIMITS.policyBytes.max;
  expect(changePolicy("old", { hash: "new", rules: RULES }, bytesMax + 1)).toEqual({
    refused: "policy_too_large",
    details: { rules: 1, rulesMax: POLICY_LIMITS.policyRulesMax.max, bytes: bytesMax + 1, bytesMax },
  });
  expect(changePolicy("old", { hash: "new", rules: many.slice(1) }, bytesMax)).toHaveLength(1);
});

proves("GATE-4", "the system remembers which rules were recorded last", () => {
  const changed = systemFact("policy.changed@1", { hash: "new", rules: RULES });
  expect(NEW_SYSTEM).not.toHaveProperty("policyHash");
  expect(evolveBy(System, NEW_SYSTEM, { id: "e", version: 1, at: "", fact: changed }).policyHash).toBe("new");
});

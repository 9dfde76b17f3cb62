import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import {
  type Actor,
  compilePolicy,
  decideGate,
  EXPLAIN,
  hearAll,
  heldOf,
  narrows,
  type Rule,
  strictest,
} from "./gate.ts";

const OPERATOR: Actor = { principal: "operator", capabilities: ["*"], sessionId: null };
const rule = (id: string, effect: Rule["effect"], verb: string, resource = "**"): Rule => ({
  id,
  effect,
  verb,
  resource,
});

proves("K25", "what a maker may pass on: exactly what it has, and families only as wide as its own", () => {
  const passes = (held: string, wanted: string): boolean => narrows([held], [wanted]);
  expect(passes("session.read", "session.read")).toBe(true);
  expect(passes("session.*", "session.read")).toBe(true);
  expect(passes("session.*", "session.*")).toBe(true);
  expect(passes("session.*", "session.r*")).toBe(true);
  expect(passes("*", "*")).toBe(true);
  expect(passes("*", "session.*")).toBe(true);
  expect(passes("*.read", "*.read")).toBe(true);
  expect(passes("session.read", "session.*")).toBe(false);
  expect(passes("session.*", "*")).toBe(false);
  expect(passes("session.*", "session*")).toBe(false);
  expect(passes("session.*", "sessions.read")).toBe(false);
  // A pattern that would match the star as if it were a letter.
  expect(passes("session.?", "session.*")).toBe(false);
  expect(passes("s*.read", "s*n.*")).toBe(false);
  expect(narrows(["session.read", "audit.read"], ["audit.read", "session.read"])).toBe(true);
  expect(narrows(["session.read"], ["session.read", "audit.read"])).toBe(false);
});

proves("K25", "a capability is held when one of several covers it", () => {
  expect(heldOf(["audit.*", "session.read"], ["session.read", "session.kill", "audit.read"])).toEqual([
    "session.read",
    "audit.read",
  ]);
  expect(heldOf(["*"], ["a.b/c"])).toEqual(["a.b/c"]);
});

proves("K24", "a family is open to plain names of its own, and to nothing that only looks like one", () => {
  const policy = compilePolicy(["session.read", "tool.*"], [rule("yes", "allow", "*")]);
  const known = ["session.read", "tool.search", "tool.a_1"];
  const unknown = [
    "tool.*",
    "tool",
    "tool.",
    "tool.A",
    "tool.1a",
    "tool.a.b",
    "tool.a/b",
    "tools.a",
    "session.kill",
    "",
  ];
  expect(known.filter(policy.knows)).toEqual(known);
  expect(unknown.filter(policy.knows)).toEqual([]);
  for (const verb of unknown) {
    expect(policy.rulesFor(verb, "x")).toEqual([]);
    expect(decideGate(OPERATOR, { verb, resource: "x", tool: null }, policy).rules).toEqual(["unknown_verb"]);
  }
});

proves("K23", "a verb is restricted when any rule for it denies or asks, and by no other rule", () => {
  const { restricts } = compilePolicy(
    ["tool.*"],
    [rule("a", "allow", "tool.read"), rule("b", "ask", "tool.run", "deep/**"), rule("c", "deny", "tool.w*")],
  );
  expect(["tool.run", "tool.write"].map(restricts)).toEqual([true, true]);
  expect(["tool.read", "tool.search"].map(restricts)).toEqual([false, false]);
});

proves("K23", "several resources: the strictest verdict, with every rule that spoke named once", () => {
  expect(
    strictest([
      { verdict: "allow", rules: ["a", "b"] },
      { verdict: "ask", rules: ["b", "c"] },
    ]),
  ).toEqual({ verdict: "ask", rules: ["a", "b", "c"] });
  expect(strictest([]).verdict).toBe("deny");
});

proves("K23", "an answer of `always` is named in the verdict", () => {
  const policy = compilePolicy(["tool.run"], []);
  const spoke = (granted: boolean) =>
    decideGate(OPERATOR, { verb: "tool.run", resource: "x", tool: { policy: "on_demand", granted } }, policy);
  expect(spoke(true)).toEqual({ verdict: "allow", rules: ["tool_policy:on_demand:granted"] });
  expect(spoke(false)).toEqual({ verdict: "ask", rules: ["tool_policy:on_demand"] });
});

proves("GATE-6", "without the capability, nobody asks what somebody else may do", () => {
  const policy = compilePolicy([EXPLAIN], [rule("yes", "allow", "*")]);
  const nobody: Actor = { principal: "token:t", capabilities: [], sessionId: null };
  const asks = (resource: string) => decideGate(nobody, { verb: EXPLAIN, resource, tool: null }, policy).verdict;
  expect([asks("principal/token:t"), asks("principal/operator")]).toEqual(["allow", "deny"]);
});

proves("K23", "several speakers beside the rules: the strictest is heard, and nobody makes a verdict milder", () => {
  const says = (effect: Rule["effect"] | null) => () => (effect === null ? null : { id: `${effect}!`, effect });
  const policy = compilePolicy(["tool.write"], [rule("yes", "allow", "*")]);
  const verdict = (...effects: readonly (Rule["effect"] | null)[]) =>
    decideGate(
      OPERATOR,
      { verb: "tool.write", resource: "x", tool: null },
      {
        ...policy,
        beside: hearAll(effects.map(says)),
      },
    ).verdict;
  expect(verdict(null, null)).toBe("allow");
  expect(verdict("allow", "ask")).toBe("ask");
  expect(verdict("ask", "deny", null)).toBe("deny");
});

proves("K23", "a speaker learns that a file goes, also where the verb is that of an edit", () => {
  const keeps = (_verb: string, _resource: string, removes: boolean) =>
    removes ? ({ id: "stays", effect: "deny" } as const) : null;
  const policy = { ...compilePolicy(["tool.edit"], [rule("yes", "allow", "*")]), beside: keeps };
  const request = { verb: "tool.edit", resource: "x", tool: null };
  expect(decideGate(OPERATOR, request, policy).verdict).toBe("allow");
  expect(decideGate(OPERATOR, { ...request, removes: true }, policy).verdict).toBe("deny");
});

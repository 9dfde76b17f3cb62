import fc from "fast-check";
import { expect } from "vitest";
import { proves } from "../../../test/support/proves.ts";
import {
  type Actor,
  belowSession,
  compilePolicy,
  decideGate,
  EXPLAIN,
  heldOf,
  narrows,
  principalResource,
  type Request,
  type Rule,
  strictest,
} from "./gate.ts";

const VERBS = ["session.read", "session.kill", "tool.run", "tool.write", "audit.read"];
const verb = fc.constantFrom(...VERBS);
const segment = fc.constantFrom("session", "s1", "s2", "path", "src", "a.ts");
const resource = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join("/"));
const pattern = fc
  .array(fc.oneof(segment, fc.constantFrom("*", "**", "s*")), { minLength: 1, maxLength: 4 })
  .map((segments) => segments.join("/"));
const effect = fc.constantFrom("allow", "deny", "ask");
const verbPattern = fc.oneof(verb, fc.constantFrom("*", "session.*", "tool.*", "*.read", "tool.w*"));
const rules: fc.Arbitrary<readonly Rule[]> = fc
  .array(fc.record({ effect, verb: verbPattern, resource: pattern }), { maxLength: 8 })
  .map((list) => list.map((rule, n) => ({ id: `r${n}`, ...rule })));
const capabilities = fc.array(verbPattern, { maxLength: 4 });
const tool: fc.Arbitrary<Request["tool"]> = fc.option(
  fc.record({ policy: fc.constantFrom("auto", "on_demand", "always_ask", "never"), granted: fc.boolean() }),
  { nil: null },
);
const request: fc.Arbitrary<Request> = fc.record({ verb, resource, tool });
const OPERATOR: Actor = { principal: "operator", capabilities: ["*"], sessionId: null };

proves("K23", "deny beats ask, ask beats allow, and every rule that spoke is named", () => {
  fc.assert(
    fc.property(rules, request, (list, asked) => {
      const voices = [
        ...list.filter((rule) => speaks(rule, asked)).map((rule) => rule.effect),
        ...toolVoice(asked.tool),
      ];
      const { verdict, rules: spoke } = decideGate(OPERATOR, asked, compilePolicy(VERBS, list));
      expect(verdict).toBe(strongest(voices));
      expect(spoke.filter((id) => !id.startsWith("tool_policy:")).toSorted()).toEqual(
        list
          .filter((rule) => speaks(rule, asked))
          .map(({ id }) => id)
          .toSorted(),
      );
      expect(spoke).toHaveLength(voices.length);
    }),
    { numRuns: 1000 },
  );
});

proves("K23", "once a rule has spoken, one more rule can only make the verdict stricter", () => {
  fc.assert(
    fc.property(rules, rules, request, (list, more, asked) => {
      const before = decideGate(OPERATOR, asked, compilePolicy(VERBS, list));
      const after = decideGate(OPERATOR, asked, compilePolicy(VERBS, [...list, ...more]));
      if (before.rules.length > 0)
        expect(STRICTNESS.indexOf(after.verdict)).toBeGreaterThanOrEqual(STRICTNESS.indexOf(before.verdict));
    }),
    { numRuns: 500 },
  );
});

proves("K23", "a tool follows its agent's policy, and a grant answers only `on_demand` questions", () => {
  const verdict = (policy: "auto" | "on_demand" | "always_ask" | "never", granted: boolean) =>
    decideGate(OPERATOR, { verb: "tool.run", resource: "path/a", tool: { policy, granted } }, compilePolicy(VERBS, []))
      .verdict;
  expect([verdict("auto", false), verdict("auto", true)]).toEqual(["allow", "allow"]);
  expect([verdict("on_demand", false), verdict("on_demand", true)]).toEqual(["ask", "allow"]);
  expect([verdict("always_ask", false), verdict("always_ask", true)]).toEqual(["ask", "ask"]);
  expect([verdict("never", false), verdict("never", true)]).toEqual(["deny", "deny"]);
});

proves("K24", "an unknown verb is denied, whoever asks and whatever the rules", () => {
  fc.assert(
    fc.property(rules, resource, tool, fc.string(), (list, where, how, word) => {
      fc.pre(!VERBS.includes(word));
      const all: Rule = { id: "all", effect: "allow", verb: "*", resource: "**" };
      const asked = { verb: word, resource: where, tool: how };
      expect(decideGate(OPERATOR, asked, compilePolicy(VERBS, [all, ...list]))).toEqual({
        verdict: "deny",
        rules: ["unknown_verb"],
      });
    }),
  );
});

proves("K24", "where no rule speaks the verdict is deny", () => {
  fc.assert(
    fc.property(rules, request, (list, asked) => {
      const silent = list.filter((rule) => !speaks(rule, asked));
      expect(decideGate(OPERATOR, { ...asked, tool: null }, compilePolicy(VERBS, silent))).toEqual({
        verdict: "deny",
        rules: [],
      });
    }),
  );
});

proves("K24", "a resource that contains `..` was not resolved and is denied", () => {
  fc.assert(
    fc.property(
      verb,
      fc.array(segment, { maxLength: 3 }),
      fc.array(segment, { maxLength: 3 }),
      (word, before, after) => {
        const all: Rule = { id: "all", effect: "allow", verb: "*", resource: "**" };
        const asked = { verb: word, resource: [...before, "..", ...after].join("/"), tool: null };
        expect(decideGate(OPERATOR, asked, compilePolicy(VERBS, [all])).verdict).toBe("deny");
      },
    ),
  );
});

proves("K25", "fewer or narrower capabilities never allow more", () => {
  fc.assert(
    fc.property(capabilities, capabilities, rules, request, (held, wanted, list, asked) => {
      fc.pre(narrows(held, wanted));
      const policy = compilePolicy(VERBS, list);
      const wide = decideGate({ ...OPERATOR, capabilities: held }, asked, policy);
      const narrow = decideGate({ ...OPERATOR, capabilities: wanted }, asked, policy);
      if (narrow.verdict !== "deny") expect(wide.verdict).toBe(narrow.verdict);
    }),
    { numRuns: 1000 },
  );
});

proves("K25", "a capability is within the held ones exactly when they cover everything it covers", () => {
  fc.assert(
    fc.property(capabilities, verbPattern, (held, wanted) => {
      if (narrows(held, [wanted]))
        for (const word of VERBS) if (covers(wanted, word)) expect(held.some((have) => covers(have, word))).toBe(true);
      if (!wanted.includes("*")) expect(narrows(held, [wanted])).toBe(held.some((have) => covers(have, wanted)));
    }),
    { numRuns: 1000 },
  );
  expect(narrows([], ["session.read"])).toBe(false);
  expect(narrows(["session.*"], ["*"])).toBe(false);
  expect(narrows(["session.*"], ["session.*", "session.read"])).toBe(true);
  expect(narrows(["session.*"], ["sessions.read"])).toBe(false);
  expect(narrows(["session.read"], ["session.*"])).toBe(false);
});

proves("K25", "without the capability no rule allows the call", () => {
  fc.assert(
    fc.property(request, (asked) => {
      const all: Rule = { id: "all", effect: "allow", verb: "*", resource: "**" };
      const poor: Actor = { ...OPERATOR, capabilities: VERBS.filter((word) => word !== asked.verb) };
      expect(decideGate(poor, asked, compilePolicy(VERBS, [all]))).toEqual({
        verdict: "deny",
        rules: [`capability:${asked.verb}`],
      });
    }),
  );
});

proves("K26", "a session's actor never reaches another session or any other resource", () => {
  const all: Rule = { id: "all", effect: "allow", verb: "*", resource: "**" };
  const own: Actor = { principal: "session:s1", capabilities: ["*"], sessionId: "s1" };
  fc.assert(
    fc.property(rules, request, (list, asked) => {
      const { verdict } = decideGate(own, asked, compilePolicy(VERBS, [all, ...list]));
      const within = asked.resource === "session/s1" || asked.resource.startsWith("session/s1/");
      if (!within) expect(verdict).toBe("deny");
    }),
    { numRuns: 500 },
  );
  const policy = compilePolicy(VERBS, [all]);
  const reach = (where: string) =>
    decideGate(own, { verb: "session.read", resource: where, tool: null }, policy).verdict;
  expect(["session/s1", "session/s1/path/a"].map(reach)).toEqual(["allow", "allow"]);
  expect(["session/s2", "session/s10", "session", "session/", "", "session/s1/../s2"].map(reach)).toEqual(
    Array(6).fill("deny"),
  );
});

proves(
  "K26",
  "a session's rights over its children are a separate list, matched against the children's resources",
  () => {
    const policy = compilePolicy(VERBS, [{ id: "all", effect: "allow", verb: "*", resource: "**" }]);
    const actor: Actor = { principal: "session:s1", capabilities: ["tool.run"], sessionId: "s1", below: ["session.*"] };
    const judge = (who: Actor, asked: string, where: string) =>
      decideGate(who, { verb: asked, resource: where, tool: null }, policy).verdict;
    expect(judge(actor, "session.kill", belowSession("s1", "s2"))).toBe("allow");
    expect(judge(actor, "session.kill", "session/s1")).toBe("deny");
    expect(judge(actor, "tool.run", belowSession("s1", "s2"))).toBe("deny");
    expect(judge(actor, "session.kill", belowSession("s2", "s1"))).toBe("deny");
    const without: Actor = { principal: "session:s1", capabilities: ["*"], sessionId: "s1" };
    expect(judge(without, "session.read", belowSession("s1", "s2"))).toBe("deny");
    expect(heldOf(["session.*"], ["session.read", "tool.run"])).toEqual(["session.read"]);
  },
);

proves("GATE-1", "a default, of the policy or of a tool, speaks only where no written rule does", () => {
  fc.assert(
    fc.property(rules, effect, request, (list, otherwise, asked) => {
      const fallback: Rule = { id: "default", effect: otherwise, verb: "*", resource: "**", isDefault: true };
      const written = list.filter((rule) => speaks(rule, asked));
      const byDefault = asked.tool === null ? null : { ...asked.tool, isDefault: true };
      const { verdict, rules: spoke } = decideGate(
        OPERATOR,
        { ...asked, tool: byDefault },
        compilePolicy(VERBS, [...list, fallback]),
      );
      const voices = written.length > 0 ? written.map((rule) => rule.effect) : [otherwise, ...toolVoice(byDefault)];
      expect(verdict).toBe(strongest(voices));
      expect(spoke.includes("default")).toBe(written.length === 0);
    }),
    { numRuns: 1000 },
  );
});

proves("GATE-2", "what holds beside the policy is never overruled by a rule, a tool policy or a grant", () => {
  const voices = fc.array(
    fc.record({ id: fc.constantFrom("scope", "reach"), effect: fc.constantFrom("deny", "ask") }),
    {
      minLength: 1,
      maxLength: 3,
    },
  );
  fc.assert(
    fc.property(rules, request, voices, (list, asked, beside) => {
      const all: Rule = { id: "all", effect: "allow", verb: "*", resource: "**" };
      const policy = compilePolicy(VERBS, [all, ...list]);
      const { verdict, rules: spoke } = decideGate(OPERATOR, { ...asked, voices: beside }, policy);
      const least = strongest(beside.map((voice) => voice.effect));
      expect(STRICTNESS.indexOf(verdict)).toBeGreaterThanOrEqual(STRICTNESS.indexOf(least));
      for (const { id } of beside) expect(spoke).toContain(id);
      expect(
        strictest([
          { verdict, rules: spoke },
          { verdict: "allow", rules: ["x"] },
        ]).verdict,
      ).toBe(verdict);
    }),
    { numRuns: 500 },
  );
});

proves("GATE-2", "a rule that denies or asks speaks for other spellings of a name, one that allows does not", () => {
  const spelling = fc
    .array(fc.boolean(), { minLength: 4, maxLength: 4 })
    .map(
      (upper) => (at: string) =>
        [...at].map((letter, n) => (upper[n % 4] === true ? letter.toUpperCase() : letter)).join(""),
    );
  fc.assert(
    fc.property(spelling, effect, resource, (spell, how, where) => {
      const other = spell(where);
      const policy = compilePolicy(VERBS, [{ id: "r", effect: how, verb: "*", resource: where }]);
      const { verdict } = decideGate(OPERATOR, { verb: "tool.run", resource: other, tool: null }, policy);
      expect(verdict).toBe(how === "allow" && other !== where ? "deny" : how);
    }),
  );
});

proves("GATE-6", "an actor may ask what it may do itself, without a capability, and nothing else by that", () => {
  const policy = compilePolicy([...VERBS, EXPLAIN], [{ id: "all", effect: "allow", verb: "*", resource: "**" }]);
  const own: Actor = { principal: "session:s1", capabilities: [], sessionId: "s1" };
  const judge = (verb: string, where: string) => decideGate(own, { verb, resource: where, tool: null }, policy).verdict;
  expect(judge(EXPLAIN, principalResource("session:s1"))).toBe("allow");
  for (const other of ["operator", "session:s2", "session:s10"])
    expect(judge(EXPLAIN, principalResource(other))).toBe("deny");
  for (const verb of VERBS) expect(judge(verb, principalResource("session:s1"))).toBe("deny");
});

const STRICTNESS = ["allow", "ask", "deny"];

function strongest(voices: readonly string[]): string {
  return voices.length === 0 ? "deny" : (STRICTNESS.findLast((effect) => voices.includes(effect)) ?? "deny");
}

function toolVoice(given: Request["tool"]): readonly string[] {
  if (given === null) return [];
  if (given.policy === "on_demand") return [given.granted ? "allow" : "ask"];
  return [{ auto: "allow", always_ask: "ask", never: "deny" }[given.policy]];
}

function speaks(rule: Rule, asked: Request): boolean {
  return covers(rule.verb, asked.verb) && naiveMatch(rule.resource, asked.resource);
}

function covers(held: string, word: string): boolean {
  return new RegExp(`^${held.replaceAll(".", "\\.").replaceAll("*", ".*")}$`).test(word);
}

function naiveMatch(given: string, where: string): boolean {
  const source = given
    .split("/")
    .map((part) => (part === "**" ? "(?:[^/]*/)*" : `${part.replaceAll(".", "\\.").replaceAll("*", "[^/]*")}/`));
  return new RegExp(`^${source.join("")}$`).test(`${where}/`);
}

proves(
  "EMB-2",
  "a program beside the rules makes a verdict stricter and never milder, and is named when it speaks",
  () => {
    const order = ["allow", "ask", "deny"];
    fc.assert(
      fc.property(rules, request, fc.option(effect, { nil: null }), (list, asked, said) => {
        const policy = compilePolicy(VERBS, list);
        const before = decideGate(OPERATOR, asked, policy);
        const beside = () => (said === null ? null : { id: "program", effect: said });
        const after = decideGate(OPERATOR, asked, { ...policy, beside });
        expect(order.indexOf(after.verdict)).toBe(
          Math.max(order.indexOf(before.verdict), order.indexOf(said ?? "allow")),
        );
        expect(after.rules.includes("program")).toBe(said !== null);
      }),
      { numRuns: 500 },
    );
  },
);

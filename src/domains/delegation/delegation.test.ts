import fc from "fast-check";
import { expect, test } from "vitest";
import { evolve } from "../../../test/support/kernel-model.ts";
import { proves } from "../../../test/support/proves.ts";
import { isRefusal, LIMITS, newSessionState } from "../../kernel/index.ts";
import { isWithinGround, parseGround, spellGround } from "../system/ground.ts";
import { agentSlugIn, narrowDelegates, recordDelegation, refuseDelegation } from "./delegation.ts";

const slug: fc.Arbitrary<string> = fc.constantFrom("a", "b", "c", "constructor", "lead-1");
const slugs = fc.array(slug, { maxLength: 5 });

proves("K80", "a spawn is allowed exactly when list, driver, depth and number of children allow it", () => {
  fc.assert(
    fc.property(
      slugs,
      fc.nat(4),
      fc.nat(4),
      fc.option(slug, { nil: null }),
      slug,
      slug,
      fc.nat(4),
      fc.nat(4),
      (delegates, depth, children, wished, driver, adapter, depthMax, childrenMax) => {
        const agent = wished === null ? null : { slug: wished, driver };
        const refused = refuseDelegation({ delegates, depth, children }, agent, adapter, { depthMax, childrenMax });
        const may =
          wished !== null &&
          delegates.includes(wished) &&
          driver === adapter &&
          depth < depthMax &&
          children < childrenMax;
        expect(refused === null).toBe(may);
      },
    ),
  );
});

proves("K80", "the last free place is given, the next one is refused", () => {
  const limits = { depthMax: 2, childrenMax: 3 };
  const asked = (depth: number, children: number) =>
    refuseDelegation({ delegates: ["a"], depth, children }, { slug: "a", driver: "demo" }, "demo", limits);
  expect(asked(1, 2)).toBeNull();
  expect(asked(2, 2)).toEqual({ refused: "max_depth_exceeded", details: { depth: 3, max: 2 } });
  expect(asked(1, 3)).toEqual({ refused: "child_quota_exceeded", details: { children: 3, max: 3 } });
  expect(refuseDelegation({ delegates: ["a"], depth: 0, children: 0 }, null, "demo", limits)).toEqual({
    refused: "delegation_denied",
    details: { agent: null, delegates: ["a"] },
  });
});

proves("K80", "a session's agents are those of its agent, each once, that its parent has too", () => {
  expect(narrowDelegates(["a", "b", "a"], null)).toEqual(["a", "b"]);
  expect(narrowDelegates(["a", "b"], ["b", "c"])).toEqual(["b"]);
});

proves("K80", "an ended session delegates nothing", () => {
  const ended = { ...newSessionState("s"), phase: { at: "killed", endedAt: "" } } as const;
  expect(recordDelegation(ended, { childId: "c", agent: "a", ended: [] })).toEqual({
    refused: "session_ended",
    details: { id: "s", state: "killed" },
  });
});

proves("K80", "over any number of generations a session may start no more than its ancestors may", () => {
  fc.assert(
    fc.property(fc.array(slugs, { minLength: 1, maxLength: 6 }), ([first = [], ...rest]) => {
      let above = narrowDelegates(first, null);
      for (const agent of rest) {
        const below = narrowDelegates(agent, above);
        expect(below.every((one) => above.includes(one) && agent.includes(one))).toBe(true);
        above = below;
      }
    }),
  );
});

proves("K81", "an accepted ground names one directory and contains no part that leads up or elsewhere", () => {
  const odd = fc.string({
    maxLength: 12,
    unit: fc.constantFrom("a", "b", ".", "/", "\\", "%", "2", "e", "\u0000", "@", "-", "W", "*", " "),
  });
  fc.assert(
    fc.property(odd, fc.constantFrom("ws://workspaces/", "workspace:", "ws://other/", ""), (body, prefix) => {
      const parsed = parseGround(prefix + body);
      if (isRefusal(parsed)) return;
      expect(parsed.below.some((part) => part === ".." || part === "." || part === "" || /[/\\%]/.test(part))).toBe(
        false,
      );
      expect(parseGround(spellGround(parsed))).toEqual(parsed);
    }),
  );
});

proves("K81", "a ground is inside another by whole path segments, not by a shared prefix of letters", () => {
  const ground = (text: string) => {
    const parsed = parseGround(text);
    if (isRefusal(parsed)) throw new Error(text);
    return parsed;
  };
  const outer = ground("ws://workspaces/w/sub");
  expect(isWithinGround(outer, ground("workspace:w/sub/deep"))).toBe(true);
  expect(isWithinGround(outer, outer)).toBe(true);
  for (const text of [
    "ws://workspaces/w/subway",
    "ws://workspaces/w",
    "ws://workspaces/w2/sub",
    "ws://workspaces/w/x/sub",
  ])
    expect(isWithinGround(outer, ground(text))).toBe(false);
});

proves("K82", "the remembered children of a session are bounded; living ones are kept", () => {
  let state = newSessionState("s");
  for (let n = 1; n <= 300; n += 1) {
    const ended = n > 4 ? [`c${n - 4}`] : [];
    const [decided] = [recordDelegation(state, { childId: `c${n}`, agent: "a", ended })].flat();
    if (decided === undefined || "refused" in decided) throw new Error("refused");
    state = evolve(state, { id: `e${n}`, version: n, at: "", fact: decided });
  }
  expect(state.children).toEqual(["c297", "c298", "c299", "c300"]);
  expect(state.pastChildren).toHaveLength(LIMITS.pastChildrenMax);
});

test("an agent is matched by each of its spellings and by no other text", () => {
  for (const text of ["worker", "agent:worker", "ws://agents/worker", "aip://42/worker", "aip://42/worker@1.0.0"])
    expect(agentSlugIn(text)).toBe("worker");
  for (const text of [
    "",
    "Worker",
    "a b",
    "../worker",
    "ws://agents/a/b",
    "aip://43/worker",
    "worker@",
    "agent:agent:worker",
  ])
    expect(agentSlugIn(text)).toBeNull();
});

test("a fold stored before children were recorded can record them", () => {
  const [delegated] = [recordDelegation(newSessionState("s"), { childId: "c", agent: "a", ended: [] })].flat();
  if (delegated === undefined || "refused" in delegated) throw new Error("refused");
  expect(newSessionState("s")).not.toHaveProperty("children");
  expect(evolve(newSessionState("s"), { id: "e", version: 1, at: "", fact: delegated }).children).toEqual(["c"]);
});

import fc from "fast-check";
import { expect } from "vitest";
import { anyFacts, factsAmong } from "../../../test/support/kernel-facts.ts";
import { placed } from "../../../test/support/kernel-model.ts";
import { proves } from "../../../test/support/proves.ts";
import { type Decision, evolveBy, isRefusal, transition } from "../../kernel/index.ts";
import { acquireLease, evolveLease, HOME_LEASE, LEASE_TRANSITIONS, type LeaseState, releaseLease } from "./lease.ts";
import { NEW_SYSTEM, System } from "./system.ts";

const commands = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant("acquire"), holder: fc.constantFrom("a", "b", "c"), deadHolder: fc.boolean() }),
    fc.record({ do: fc.constant("release"), back: fc.nat({ max: 2 }) }),
  ),
  { maxLength: 60, size: "max" },
);

proves("K20", "the fence only rises, and each holder gets its own", () => {
  run((_before, decision) => {
    const fences = isRefusal(decision)
      ? []
      : decision.flatMap(({ type, data }) => (type === "lease.acquired@1" ? [Number(Reflect.get(data, "fence"))] : []));
    return fences;
  }).forEach((fences) => {
    expect(fences).toEqual(fences.map((_, n) => n + 1));
  });
});

proves("K20", "a release with an old fence is refused", () => {
  run((before, decision, command) => {
    if (command.do !== "release") return [];
    const held = before.at === "held" && command.back === 0;
    if (held) expect(decision).toMatchObject([{ type: "lease.released@1", data: { fence: before.lastFence } }]);
    else expect(decision).toMatchObject({ refused: "stale_fence", details: { current: before.lastFence } });
    return [];
  });
});

proves("K20", "a held lease is taken over only with proof that its holder is gone", () => {
  run((before, decision, command) => {
    if (command.do !== "acquire") return [];
    const refused = before.at === "held" && !command.deadHolder;
    expect(isRefusal(decision)).toBe(refused);
    if (refused) expect(decision).toMatchObject({ refused: "lease_held", details: { by: before.holder } });
    return [];
  });
});

proves("K20", "whatever the facts, the last fence never decreases", () => {
  fc.assert(
    fc.property(fc.array(anyFacts, { maxLength: 60, size: "max" }), (facts) => {
      facts.reduce((before, fact, n) => {
        const after = evolveBy(System, before, placed(n + 1, fact));
        expect(after.lease.lastFence).toBeGreaterThanOrEqual(before.lease.lastFence);
        return after;
      }, NEW_SYSTEM);
    }),
  );
});

proves("K15", "a lease only makes transitions of its table, and each one is tested", () => {
  const walked = new Set<string>();
  fc.assert(
    fc.property(fc.array(factsAmong(["lease.acquired@1", "lease.released@1"]), { maxLength: 40 }), (facts) => {
      facts.reduce((before, fact, n) => {
        const after = evolveLease(before, placed(n + 1, fact));
        const to = transition(LEASE_TRANSITIONS, before.at, fact.type);
        expect([before.at, to]).toContain(after.at);
        if (after.at === to) walked.add(`${before.at} ${fact.type}`);
        return after;
      }, NEW_SYSTEM.lease);
    }),
  );
  expect(
    LEASE_TRANSITIONS.flatMap(({ on, from }) => from.map((at) => `${at} ${on}`)).filter((row) => !walked.has(row)),
  ).toEqual([]);
});

type LeaseCommand =
  | { readonly do: "acquire"; readonly holder: string; readonly deadHolder: boolean }
  | { readonly do: "release"; readonly back: number };

/** Runs random commands; the results of `see` are collected per run. */
function run(
  see: (before: LeaseState, decision: Decision, command: LeaseCommand) => readonly number[],
): readonly (readonly number[])[] {
  const gathered: (readonly number[])[] = [];
  fc.assert(
    fc.property(commands, (list) => {
      let state: LeaseState = NEW_SYSTEM.lease;
      const seen: number[] = [];
      for (const command of list) {
        const decision =
          command.do === "acquire"
            ? acquireLease(state, { resource: HOME_LEASE, holder: command.holder, deadHolder: command.deadHolder })
            : releaseLease(state, { resource: HOME_LEASE, fence: state.lastFence - command.back });
        seen.push(...see(state, decision, command));
        if (!isRefusal(decision))
          state = decision.reduce((at, fact) => evolveLease(at, placed(at.version + 1, fact)), state);
      }
      gathered.push(seen);
    }),
  );
  return gathered;
}

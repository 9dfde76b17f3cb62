import fc from "fast-check";
import { expect } from "vitest";
import { factsAmong } from "../../../test/support/kernel-facts.ts";
import { instant, placed } from "../../../test/support/kernel-model.ts";
import { proves } from "../../../test/support/proves.ts";
import { evolveBy, isRefusal, transition } from "../../kernel/index.ts";
import { AGENT_TRANSITIONS, AgentIdentity, type AgentState, createAgent, deleteAgent, NEW_AGENT } from "./agent.ts";

const commands = fc.array(fc.record({ do: fc.constantFrom("create", "delete"), builtIn: fc.boolean() }), {
  maxLength: 40,
  size: "max",
});

proves(
  "K21",
  "an agent is created once, deleted once, and can then be created again; a built-in agent cannot be deleted",
  () => {
    fc.assert(
      fc.property(commands, (list) => {
        let state: AgentState = NEW_AGENT;
        for (const command of list) {
          const before: AgentState = state;
          const decision =
            command.do === "create"
              ? createAgent(before, { ...AGENT, builtIn: command.builtIn })
              : deleteAgent(before, "a");
          if (!isRefusal(decision))
            state = decision.reduce((at, fact) => evolveBy(AgentIdentity, at, placed(at.version + 1, fact)), before);
          const there = before.at === "present";
          if (command.do === "create") expect(isRefusal(decision)).toBe(there);
          else expect(isRefusal(decision)).toBe(!there || before.agent.builtIn);
        }
      }),
    );
  },
);

proves("K21", "an agent keeps the fields it was created with, and its creation time", () => {
  const made = createAgent(NEW_AGENT, AGENT);
  if (isRefusal(made)) return expect.fail("nothing is in its way");
  const state = made.reduce((at, fact) => evolveBy(AgentIdentity, at, placed(at.version + 1, fact)), NEW_AGENT);
  expect(state).toEqual({ at: "present", version: 1, agent: { ...AGENT, createdAt: instant(1) } });
  expect(createAgent(state, AGENT)).toMatchObject({ refused: "agent_exists" });
  expect(deleteAgent(NEW_AGENT, "a")).toMatchObject({ refused: "agent_not_found" });
  const brought = { ...state, at: "present" as const, agent: { ...AGENT, builtIn: true, createdAt: "" } };
  expect(deleteAgent(brought, "a")).toMatchObject({ refused: "agent_in_use" });
  expect(deleteAgent(brought, "a", false)).toMatchObject([{ type: "agent.deleted@1" }]);
});

proves("K21", "a deleted agent is gone; a fact that its state does not allow is only counted", () => {
  const after = (state: AgentState, type: "agent.created@1" | "agent.deleted@1") =>
    evolveBy(AgentIdentity, state, placed(7, { type, data: type === "agent.created@1" ? AGENT : {} }));
  const present = after(NEW_AGENT, "agent.created@1");
  const deleted = after(present, "agent.deleted@1");
  expect([present.at, deleted]).toEqual(["present", { at: "deleted", version: 7 }]);
  expect(after(deleted, "agent.created@1")).toEqual(present);
  expect(after(deleted, "agent.deleted@1")).toEqual(deleted);
  expect(after(NEW_AGENT, "agent.deleted@1")).toEqual({ at: "absent", version: 7 });
  expect(after({ ...present, version: 3 }, "agent.created@1")).toEqual(present);
});

proves("K15", "an agent only makes transitions of its table, and each one is tested", () => {
  const walked = new Set<string>();
  fc.assert(
    fc.property(fc.array(factsAmong(["agent.created@1", "agent.deleted@1"]), { maxLength: 40 }), (facts) => {
      facts.reduce((before, fact, n) => {
        const after = evolveBy(AgentIdentity, before, placed(n + 1, fact));
        const to = transition(AGENT_TRANSITIONS, before.at, fact.type);
        expect(after.at).toBe(to ?? before.at);
        if (to === null && before.at === "present") expect(after).toHaveProperty("agent", before.agent);
        walked.add(`${before.at} ${fact.type}`);
        return after;
      }, NEW_AGENT);
    }),
  );
  expect(
    AGENT_TRANSITIONS.flatMap(({ on, from }) => from.map((at) => `${at} ${on}`)).filter((row) => !walked.has(row)),
  ).toEqual([]);
});

const AGENT = { slug: "a", name: "A", driver: "demo", tools: { run: "always_ask" }, builtIn: false } as const;

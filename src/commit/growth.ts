import { type CustomFact, type EventType, type Fact, isCustom } from "../kernel/index.ts";

/**
 * What a fact means when room is short. `start`: new work, refused first. `course`: a turn on its way. `output`: what
 * exists already and would be lost. `end`: what ends, answers or takes away; it always gets in.
 */
export type Growth = "start" | "course" | "output" | "end";

/** The strictest that any of them asks for. */
export function growthOf(facts: readonly (Fact | CustomFact)[]): Growth {
  const found = facts.map(one);
  return ORDER.find((growth) => found.includes(growth)) ?? "end";
}

const ORDER = ["start", "course", "output"] as const;

function one(fact: Fact | CustomFact): Growth {
  const growth = isCustom(fact) ? "course" : (GROWTH[fact.type] ?? "end");
  // Outside of a turn somebody else brings it, and can bring it later.
  return growth === "course" && "turnId" in fact.data && fact.data.turnId === null ? "start" : growth;
}

const GROWTH: { readonly [K in EventType]?: Growth } = {
  "session.opened@1": "start",
  "session.forked@1": "start",
  "session.resumed@1": "start",
  "session.labelled@1": "start",
  "session.rewound@1": "start",
  "session.delegated@1": "start",
  "restore.begun@1": "start",
  "turn.admitted@1": "start",
  "turn.attached@1": "start",
  "driver.configured@1": "start",
  "agent.created@1": "start",
  "agent.defaulted@1": "start",
  "workspace.added@1": "start",
  "workspace.used@1": "start",
  "token.issued@1": "start",
  "call.begun@1": "start",
  "effect.intended@1": "course",
  "effect.begun@1": "course",
  "approval.requested@1": "course",
  "artifact.written@1": "course",
  "todo.replaced@1": "course",
  "gate.denied@1": "course",
  "driver.attached@1": "course",
  "driver.offered@1": "course",
  "message.completed@1": "output",
  "effect.output@1": "output",
  "tool.called@1": "output",
  "tool.ended@1": "output",
  "driver.noticed@1": "output",
  "driver.update_kept@1": "output",
  "usage.reported@1": "output",
};

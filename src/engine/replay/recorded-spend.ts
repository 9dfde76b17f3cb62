import type { Spent } from "../../kernel/index.ts";
import type { LoadedEvent } from "../../turns/index.ts";
import type { Usage } from "../model.ts";
import { NO_USAGE } from "../providers/usage.ts";

/** Tokens and money of the recorded steps and of what foreign agents told. No price anywhere: no money. */
export function spentIn(events: readonly LoadedEvent[]): Spent {
  const parts = events.flatMap(({ fact }): readonly Spent[] => {
    if (fact.type === "step.ended@1") return [{ ...fact.data.usage, costMicroUsd: fact.data.costMicroUsd }];
    return fact.type === "usage.reported@1" && fact.data.spent !== undefined ? [fact.data.spent] : [];
  });
  const priced = parts.flatMap(({ costMicroUsd }) => costMicroUsd ?? []);
  return {
    ...parts.reduce(addUsage, NO_USAGE),
    costMicroUsd: priced.length === 0 ? null : priced.reduce((sum, cost) => sum + cost, 0),
  };
}

function addUsage(one: Usage, other: Usage): Usage {
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
  };
}

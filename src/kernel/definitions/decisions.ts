import { ownEntry } from "../own-entry.ts";
import { refuse } from "../refusal.ts";
import type { Aggregate, Decision, Folding } from "./aggregate.ts";
import { type AnyFact, isCustomType } from "./event.ts";
import { commonFact } from "./shared-events.ts";

/** Combines decisions: all their facts, or the first refusal. */
export function together(...decisions: readonly Decision[]): Decision {
  const facts: AnyFact[] = [];
  for (const decision of decisions) {
    if ("refused" in decision) return decision;
    facts.push(...decision);
  }
  return facts;
}

/** Erases what was said and done; events that the state machine needs stay. */
export function eraseData<State extends Folding>(
  of: Aggregate<State>,
  state: State,
  targets: readonly { readonly id: string; readonly type: string }[],
  reason: string,
): Decision {
  const off = of.refuseErasure(state);
  if (off !== null) return off;
  const kept = targets.find(({ type }) => ownEntry(of.events, type)?.erasable !== true && !isCustomType(type));
  if (kept !== undefined) return refuse("not_erasable", { id: kept.id, type: kept.type });
  return [commonFact("data.erased@1", { events: targets.map(({ id }) => id), reason })];
}

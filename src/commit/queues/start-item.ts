import { NomosError } from "../../contract/index.ts";
import type { Clock } from "../../host/index.ts";
import { type Decision, type Folding, isRefusal, type QueuedRow } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";
import type { Committer } from "../committer.ts";
import { stateAfter, subjectIn } from "../decide-on-stream.ts";

export interface StartDeps {
  readonly store: Pick<Store, "definitions">;
  readonly committer: Pick<Committer, "change">;
  readonly clock: Clock;
}

const BY = { actor: "daemon" };

/**
 * Starts an item that a row shows as waiting. The state is checked at the append, so that it starts once, and not when
 * it was held or removed meanwhile.
 */
export async function startItem({ store, committer, clock }: StartDeps, row: QueuedRow): Promise<void> {
  const { of, id } = subjectIn(store, row.stream);
  const isWaiting = (state: Folding): boolean =>
    of
      .queued(state)
      .some(({ item, lane, at, heldBy }) => item === row.item && lane === row.lane && at === "waiting" && !heldBy);
  let reason: string | null = null;
  const decide = (state: Folding): Decision => {
    reason = isWaiting(state) ? null : NOT_MEANT;
    if (reason !== null) return [];
    const decision = of.start(state, row.item);
    if (isRefusal(decision)) return decision;
    if (!isWaiting(stateAfter(of, state, decision, clock.iso(clock.nowMs())))) return decision;
    reason = `Starting ${row.item} of a ${of.kind} leaves it waiting.`;
    return [];
  };
  await committer.change(of, id, decide, BY);
  if (reason !== null) throw new NomosError("start_failed", { stream: row.stream, item: row.item, reason });
}

const NOT_MEANT = "The list says that it waits, its stream does not; `nomos doctor --repair` mends the list.";

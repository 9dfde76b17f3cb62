import { type Fact, type SessionState, sessionFact } from "../../kernel/index.ts";
import type { EventPage, Store } from "../../store/index.ts";
import { fitting } from "./fit-in-event.ts";
import type { SessionFiles, Span } from "./session-files.ts";

const PAGE = 1000;
const LISTED = { count: 1000, bytes: 65_536 };

/** The times at which the turn may have changed files: each effect from its start to its end, or to now if it runs. */
export async function workingTimes(
  store: Store,
  stream: string,
  turnId: string,
  nowMs: number,
): Promise<readonly Span[]> {
  const open = new Map<string, number>();
  const spans: Span[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const query = { after, limit: PAGE, turnId, types: ["effect.intended", "effect.settled"] };
    const page: EventPage = await store.readStream(stream, query);
    for (const event of page.events) {
      const fact = sessionFact(event);
      if (fact?.type === "effect.intended@1") open.set(fact.data.effectId, Date.parse(event.at));
      if (fact?.type !== "effect.settled@1") continue;
      const fromMs = open.get(fact.data.effectId);
      if (fromMs !== undefined) spans.push({ fromMs, toMs: Date.parse(event.at) });
      open.delete(fact.data.effectId);
    }
    after = page.next;
  }
  return [...spans, ...[...open.values()].map((fromMs) => ({ fromMs, toMs: nowMs }))];
}

/** A snapshot's fact, completed with the names in it that others changed meanwhile. */
export async function withOthers(
  sessionFiles: Pick<SessionFiles, "changedOutside">,
  state: SessionState,
  from: string,
  spans: readonly Span[],
  fact: Fact,
): Promise<Fact> {
  if (fact.type !== "snapshot.taken@1" || fact.data.occasion !== "turn_end") return fact;
  const names = await sessionFiles.changedOutside(state, from, fact.data.snapshot, spans).catch(() => null);
  if (names !== null && names.length === 0) return fact;
  const { listed, more } = fitting(names ?? [], LISTED);
  return { ...fact, data: { ...fact.data, others: { names: listed, more: names === null || more > 0 } } };
}

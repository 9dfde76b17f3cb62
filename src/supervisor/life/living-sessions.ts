import { idIn, Session, sessionFact } from "../../kernel/index.ts";
import type { RecordedEvent, Store } from "../../store/index.ts";
import { meet, type Neighbour, neighbourOf, sessionRows } from "./neighbours.ts";

/** Where living sessions work, so that a start can report its neighbours. */
export interface LivingSessions {
  /** Sessions in this directory, in a parent or below. */
  readonly near: (root: string) => Promise<readonly Neighbour[]>;
  readonly stop: () => void;
}

const ENDS: readonly string[] = ["session.exited@1", "session.killed@1", "session.failed@1", "session.forgotten@1"];

/** Read from the log on first use, then updated with each append. */
export function watchLiving(store: Store): LivingSessions {
  const living = new Map<string, Neighbour>();
  const ended = new Set<string>();
  let loaded: Promise<void> | null = null;

  const hear = (events: readonly RecordedEvent[]): void => {
    if (loaded === null) return;
    for (const event of events) {
      const id = idIn(Session, event.stream);
      if (id === null) continue;
      if (ENDS.includes(event.type)) ended.add(id);
      const fact = sessionFact(event);
      if (ended.has(id)) living.delete(id);
      else if (fact?.type === "session.opened@1" || fact?.type === "session.forked@1")
        living.set(id, neighbourOf({ ...fact.data.spec, id }));
    }
  };
  const load = async (): Promise<void> => {
    for await (const row of sessionRows(store, { alive: true, shown: true }))
      if (!ended.has(row.id)) living.set(row.id, neighbourOf(row));
  };

  return {
    near: async (root) => {
      loaded ??= load();
      await loaded;
      return [...living.values()].filter(({ cwd }) => meet(cwd, root));
    },
    stop: store.onAppend(hear),
  };
}

import { dataIn, SESSION_EVENTS, type SessionRow } from "../../kernel/index.ts";
import type { EventPage, Store } from "../../store/index.ts";
import { sessionRows } from "../life/neighbours.ts";

const PAGE = 1000;

/**
 * All snapshots that can still be restored: those of sessions that are neither forgotten nor archived, and of their
 * ancestors.
 */
export async function liveSnapshots(store: Store): Promise<readonly string[]> {
  const streams = await livingStreams(store);
  const ids = new Set<string>();
  for (let after: number | null = 0; after !== null; ) {
    const page: EventPage = await store.readAll({ after, limit: PAGE, types: ["snapshot.taken"] });
    for (const event of page.events) {
      const taken = streams.has(event.stream) ? dataIn(SESSION_EVENTS, [event], "snapshot.taken@1") : null;
      if (taken !== null) ids.add(taken.snapshot);
    }
    after = page.next;
  }
  return [...ids];
}

async function livingStreams(store: Store): Promise<ReadonlySet<string>> {
  const rows = new Map<string, SessionRow>();
  for await (const row of sessionRows(store)) rows.set(row.id, row);
  const living = new Set<string>();
  for (const row of rows.values()) {
    if (row.forgotten || row.archived !== null) continue;
    for (let one: SessionRow | undefined = row; one !== undefined && !living.has(`session/${one.id}`); ) {
      living.add(`session/${one.id}`);
      one = one.forkedFrom === null ? undefined : rows.get(one.forkedFrom.sessionId);
    }
  }
  return living;
}

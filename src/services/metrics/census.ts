import type { Clock } from "../../host/index.ts";
import { APPROVALS, QUEUED, SESSIONS } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";

/** Counts of sessions, turns and approvals, a few seconds old at most. */
export interface Census {
  readonly sessions: { readonly [state: string]: number };
  readonly queuedTurns: number;
  readonly pendingApprovals: number;
}

const CENSUS_KEPT_MS = 5000;

/** Counts again at most every few seconds, however often it is called. */
export function keptCensus(store: Store, clock: Clock): () => Promise<Census> {
  let taken: Promise<Census> | null = null;
  let takenMs = 0;
  return () => {
    if (taken !== null && clock.steadyMs() - takenMs < CENSUS_KEPT_MS) return taken;
    takenMs = clock.steadyMs();
    const fresh = takeCensus(store);
    fresh.catch(() => {
      if (taken === fresh) taken = null;
    });
    taken = fresh;
    return fresh;
  };
}

async function takeCensus(store: Store): Promise<Census> {
  const [sessions, queuedTurns, pendingApprovals] = await Promise.all([
    store.counts(SESSIONS, "state", { shown: true }),
    store.count(QUEUED),
    store.count(APPROVALS, { status: "pending" }),
  ]);
  return { sessions, queuedTurns, pendingApprovals };
}

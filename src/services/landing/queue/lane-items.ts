import { LANDING_LIMITS, LANDINGS, type LandingRow, landingLane } from "../../../domains/index.ts";
import { QUEUED, Session } from "../../../kernel/index.ts";
import type { KeptWork } from "../kept-work.ts";
import type { LandingDeps } from "../landing-deps.ts";
import type { LandingFacts } from "../landing-facts.ts";
import type { Work } from "../make-landing.ts";

export type CheckingRow = Extract<LandingRow, { at: "checking" }>;

export type Item = Work & {
  readonly id: string;
  readonly eventId: string;
  /** When it was queued, if it was under way before: then its commits may be on the branch already. */
  readonly triedSince: string | null;
};

/** After the events that queued and started it. */
const UNTRIED_VERSION = 2;

const ROWS_MAX = 100;
const STREAM = "landing/";

/** Landings of a lane that are under way, in their order. */
export async function checkingIn({ store }: Pick<LandingDeps, "store">, lane: string): Promise<readonly CheckingRow[]> {
  const rows = await store.rows(LANDINGS, { where: { lane, state: "checking" }, limit: ROWS_MAX });
  return rows.filter((row) => row.at === "checking").toSorted((a, b) => (a.place < b.place ? -1 : 1));
}

/** The first ones up to `max`: too many go back to their place, missing ones are started. Held ones stay. */
export async function fillBatch(
  deps: Pick<LandingDeps, "store">,
  facts: LandingFacts,
  rows: readonly CheckingRow[],
  max: number,
): Promise<readonly CheckingRow[]> {
  const [leader] = rows;
  if (leader === undefined) return [];
  // What is pushed for a request does not move the branch, so nothing can be stacked on it.
  const room = leader.order.pullRequest === null ? Math.min(max, LANDING_LIMITS.batch.max) : 1;
  if (rows.length > room) await facts.giveBack(idsOf(rows.slice(room)), "it is checked apart from others");
  if (rows.length >= room) return rows.slice(0, room);
  const lane = landingLane(leader.order);
  const waiting = await deps.store.rows(QUEUED, { where: { lane, running: false }, by: "place", limit: ROWS_MAX });
  const next = waiting.filter(({ heldBy }) => heldBy === null).map(({ stream }) => stream.slice(STREAM.length));
  const found = await Promise.all(next.map((id) => deps.store.row(LANDINGS, id)));
  const fit = found.filter((row) => row?.at === "queued" && row.order.pullRequest === null);
  for (const row of fit.slice(0, room - rows.length)) if (row !== null) await facts.start(row.id);
  return (await checkingIn(deps, lane)).slice(0, room);
}

export function idsOf(items: readonly { readonly id: string }[]): readonly string[] {
  return items.map(({ id }) => id);
}

/** Null when the captured work is gone. */
export async function loadItem(
  { store }: Pick<LandingDeps, "store">,
  kept: KeptWork,
  { id, order, eventId, version, queuedAt }: CheckingRow,
): Promise<Item | null> {
  const captured = await kept.read(id);
  const triedSince = version > UNTRIED_VERSION ? queuedAt : null;
  return captured === null
    ? null
    : { id, order, eventId, triedSince, captured, state: await store.fold(Session, order.sessionId) };
}

import { LANDINGS, ticketStreamId, WORK, type WorkRow } from "../../../domains/index.ts";
import type { Store } from "../../../store/index.ts";

/** Work of other sessions of the repository that goes on. */
export async function othersIn(
  { store }: { readonly store: Pick<Store, "rows"> },
  repo: string,
  sessionId: string,
): Promise<readonly WorkRow[]> {
  const rows = await store.rows(WORK, { where: { repo, open: true }, limit: OTHERS_MAX });
  return rows.filter(({ id, order }) => id !== sessionId && order.role === "work");
}

const OTHERS_MAX = 200;

/** Work on a ticket, the newest first. */
export async function worksOn(
  { store }: { readonly store: Pick<Store, "rows"> },
  repo: string,
  ticketId: string,
): Promise<readonly WorkRow[]> {
  return store.rows(WORK, { where: { ticket: ticketStreamId(repo, ticketId) }, limit: WORKS_MAX });
}

const WORKS_MAX = 100;

/** Landings of a session that are on a branch. */
export async function landedBy({ store }: { readonly store: Pick<Store, "rows"> }, sessionId: string) {
  const rows = await store.rows(LANDINGS, { where: { session: sessionId }, limit: LANDINGS_MAX });
  return rows.flatMap((row) => (row.at === "landed" && row.order.pullRequest === null ? [row] : []));
}

const LANDINGS_MAX = 200;

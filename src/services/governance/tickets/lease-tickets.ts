import type { By } from "../../../commit/index.ts";
import { NomosError, toNomosError } from "../../../contract/index.ts";
import { type Candidacy, type Dispatch, dispatchTickets, isFree, releaseTicketLease } from "../../../domains/index.ts";
import type { HeldLease } from "../../../governance/index.ts";
import type { RecordedEvent } from "../../../store/index.ts";
import type { ChangeParts } from "./change-tickets.ts";
import { leasedAs, type TicketChange } from "./record-tickets.ts";
import { allTickets, findTicket, type TicketBook, type TicketNow } from "./ticket-book.ts";

export interface LeaseOrder {
  readonly id: string;
  readonly minutes?: number | undefined;
}

export interface FenceOrder extends LeaseOrder {
  readonly fence: number;
  /** Of a session's own token. */
  readonly sessionId?: string | null;
}

/** Claims a ticket by hand: for a person, or a program that is no session. */
export async function leaseTicket(
  parts: ChangeParts,
  cwd: string,
  order: LeaseOrder,
  by: By,
): Promise<readonly RecordedEvent[]> {
  const book = await parts.books.at(cwd);
  return claim(parts, book, findTicket(book, order.id), order.minutes, by);
}

async function claim(
  { deps, records }: ChangeParts,
  { governed, config }: TicketBook,
  found: TicketNow,
  minutes: number | undefined,
  by: By,
): Promise<readonly RecordedEvent[]> {
  const { id } = found.ticket;
  if (found.status === "done" || found.status === "archived")
    throw new NomosError("ticket_closed", { ticket: id, status: found.status });
  const lease = await deps.leases.claim(governed, id, { owner: by.actor, minutes: minutes ?? config.leases.minutes });
  await records.known(governed, found);
  return records.commit(governed, [{ id, decide: leasedAs(lease) }], by);
}

/** A heartbeat is no event: it says nothing that the lease does not say. */
export async function beatTicket(
  { deps, books }: ChangeParts,
  cwd: string,
  order: FenceOrder,
  by: By,
): Promise<HeldLease> {
  const book = await books.at(cwd);
  const { ticket } = findTicket(book, order.id);
  const { fence, minutes, sessionId = null } = order;
  const owner = await ownerOf(book, ticket.id, by, sessionId);
  return deps.leases.heartbeat(book.governed, ticket.id, {
    ...{ owner, fence, sessionId },
    ...(minutes === undefined ? {} : { minutes }),
  });
}

export async function releaseTicket(
  { deps, books, records }: ChangeParts,
  cwd: string,
  order: FenceOrder,
  by: By,
): Promise<readonly RecordedEvent[]> {
  const book = await books.at(cwd);
  const found = findTicket(book, order.id);
  const { id } = found.ticket;
  await deps.leases.release(book.governed, id, { owner: await ownerOf(book, id, by, null), fence: order.fence });
  await records.known(book.governed, found);
  const decide: TicketChange["decide"] = (state) => releaseTicketLease(state, order.fence);
  return records.commit(book.governed, [{ id, decide }], by);
}

/** A session's lease has its agent as its owner; its own token speaks for it. The operator speaks for everybody. */
async function ownerOf({ leases }: TicketBook, id: string, by: By, sessionId: string | null): Promise<string> {
  const held = leases.get(id);
  const isTheirs =
    held !== undefined && (by.actor === OPERATOR || (sessionId !== null && held.sessionId === sessionId));
  return isTheirs ? held.owner : by.actor;
}

const OPERATOR = "operator";

/** What is to be worked on next, and why not the others. */
export async function nextTicket(
  { books }: ChangeParts,
  cwd: string,
): Promise<{ readonly book: TicketBook; readonly dispatch: Dispatch }> {
  const book = await books.at(cwd);
  return { book, dispatch: dispatchOf(book) };
}

function dispatchOf(book: TicketBook): Dispatch {
  const { config, nowMs } = book;
  const all = allTickets(book).map(({ ticket, status, lease }) => {
    const { id, kind, type, priority, lane, blockers, createdAt } = ticket;
    const isLeased = lease !== null && !isFree(lease, nowMs);
    return { id, kind, type, priority, lane, blockers, createdAt, status, isLeased };
  });
  return dispatchTickets(all, { lanes: config.lanes, ticketsAtOnceMax: config.ticketsAtOnceMax, nowMs });
}

/** Who is faster gets it: then the next one is tried, as where a ticket's lease is damaged. Nothing where nothing is left. */
const CLAIMS_MAX = 20;
const TAKEN: readonly string[] = ["ticket_leased", "ref_conflict", "lease_rewound", "lease_damaged"];

export async function claimNext(
  parts: ChangeParts,
  cwd: string,
  minutes: number | undefined,
  by: By,
): Promise<readonly RecordedEvent[]> {
  const first = await parts.books.at(cwd);
  // Within a daemon one after another: two that look at the same moment would both see a free place in a lane.
  return parts.records.alone(`${first.governed.repoKey} next`, async () => {
    await Promise.all([parts.deps.documents.refresh(first.place, "status"), parts.deps.leases.refresh(first.governed)]);
    const lost = new Set<string>();
    for (let tries = 1; tries <= CLAIMS_MAX; tries += 1) {
      const book = await parts.books.again(first.governed);
      const next = dispatchOf(book).ranked.find(isNext(lost));
      if (next === undefined) return [];
      try {
        return await claim(parts, book, findTicket(book, next.id), minutes, by);
      } catch (thrown) {
        if (!TAKEN.includes(toNomosError(thrown).code)) throw thrown;
        lost.add(next.id);
      }
    }
    return [];
  });
}

const isNext =
  (lost: ReadonlySet<string>) =>
  ({ id, heldBack }: Candidacy): boolean =>
    heldBack === null && !lost.has(id);

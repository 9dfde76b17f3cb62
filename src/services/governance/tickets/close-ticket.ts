import type { By } from "../../../commit/index.ts";
import { NomosError, refusalError } from "../../../contract/index.ts";
import { closeTicket as closed, isLive, TICKETS, ticketStreamId } from "../../../domains/index.ts";
import type { Json } from "../../../kernel/index.ts";
import type { RecordedEvent } from "../../../store/index.ts";
import type { Proof } from "../evidence.ts";
import type { ChangeParts } from "./change-tickets.ts";
import { refuseUnproven } from "./proofs.ts";
import { allTickets, findTicket, type TicketBook, type TicketNow } from "./ticket-book.ts";
import { changeStatus } from "./ticket-status.ts";

export interface CloseOrder {
  readonly id: string;
  /** Of the lease that the work was done under; not given: nobody may hold one. */
  readonly fence?: number | undefined;
  readonly witnesses?: Readonly<Record<string, string>> | undefined;
}

/** A task closes on proof; an epic or intent when all below it is over. */
export async function closeTicket(
  parts: ChangeParts,
  cwd: string,
  order: CloseOrder,
  by: By,
): Promise<readonly RecordedEvent[]> {
  const { deps, books, records } = parts;
  const { governed } = await books.at(cwd);
  return records.alone(governed.repoKey, async () => {
    const book = await books.again(governed);
    const found = findTicket(book, order.id);
    const { id } = found.ticket;
    if (found.isArchived) throw new NomosError("ticket_closed", { ticket: id, status: found.status });
    const kept = found.status === "done" ? await evidenceOf(parts, book, id) : null;
    const isAgain = kept !== null && (await isRecorded(parts, book, id, kept));
    const evidence = isAgain ? kept : await proveIt(parts, book, found, order, by);
    const done = { status: "done", since: deps.clock.iso(deps.clock.nowMs()), by: by.actor } as const;
    await changeStatus(deps.documents, book.place, id, (now) => (now?.status === "done" ? null : done));
    await records.known(book.governed, found);
    return records.commit(book.governed, [{ id, decide: (state) => closed(state, { evidence, by: by.actor }) }], by);
  });
}

async function proveIt(
  parts: ChangeParts,
  book: TicketBook,
  found: TicketNow,
  order: CloseOrder,
  by: By,
): Promise<string> {
  const { id } = found.ticket;
  // Without proof nobody can close it, whoever holds it: whoever claims it done learns first what is missing.
  const isWorked = order.fence === undefined && found.lease?.sessionId != null;
  const early = isWorked ? await proofOf(parts, book, found, order, by) : null;
  if (early !== null && early.missing.length > 0) return refuseUnproven(id, early.missing);
  await refuseOthers(parts, book, found, order.fence);
  return keepEvidence(parts, book, id, early ?? (await proofOf(parts, book, found, order, by)));
}

/** What is missing for it to be closed; empty: nothing. */
export async function missingFor(parts: ChangeParts, book: TicketBook, id: string, by: By): Promise<readonly string[]> {
  return (await proofOf(parts, book, findTicket(book, id), { id }, by)).missing;
}

/** Only whoever holds the lease closes the ticket; where nobody does, whoever may close tickets at all. */
async function refuseOthers(
  { deps }: ChangeParts,
  { governed, nowMs }: TicketBook,
  { ticket, lease }: TicketNow,
  fence: number | undefined,
): Promise<void> {
  if (fence !== undefined) {
    const refusal = await deps.leases.confirm(governed, ticket.id, fence);
    if (refusal !== null) throw refusalError(refusal);
  } else if (lease !== null && isLive(lease, nowMs))
    throw new NomosError("ticket_leased", {
      ...{ ticket: ticket.id, owner: lease.owner, session: lease.sessionId, until: lease.until },
    });
}

/** What the ticket rests on if it is closed now. */
export async function proofOf(
  { deps }: ChangeParts,
  book: TicketBook,
  found: TicketNow,
  { witnesses = {} }: CloseOrder,
  by: Pick<By, "actor">,
): Promise<Proof> {
  const { ticket } = found;
  if (ticket.kind === "task")
    return deps.proofs.proofOf({ governed: book.governed, ticket, witnesses, actor: by.actor });
  const below = allTickets(book).filter((one) => one.ticket.parent === ticket.id);
  const open = below.filter(({ status }) => status !== "done" && status !== "archived");
  const missing = below.length === 0 ? ["a task below it"] : open.map((one) => `the end of ${one.ticket.id}`);
  const evidence =
    missing.length > 0 ? null : { below: below.map((one) => ({ id: one.ticket.id, status: one.status })) };
  return { evidence, missing };
}

/** Returns the commit under `refs/nomos/evidence/<ID>`. Written before the status, so that nothing is done without it. */
async function keepEvidence({ deps }: ChangeParts, { place }: TicketBook, id: string, proof: Proof): Promise<string> {
  if (proof.evidence === null) return refuseUnproven(id, proof.missing);
  const document: { readonly [key: string]: Json } = { version: 1, ticket: id, ...proof.evidence };
  const text = `${JSON.stringify(document, null, 2)}\n`;
  for (let before = await deps.documents.read(place, "evidence", id); ; ) {
    if (before?.text === text) return before.oid;
    const swapped = await deps.documents.swap(place, "evidence", id, { from: before?.oid ?? null, text });
    if (swapped.swapped) return swapped.document.oid;
    before = swapped.now;
  }
}

/** Anybody who can write to the clone, or push, can write a ref: evidence counts where the log names it. */
export async function isRecorded({ deps }: ChangeParts, { governed }: TicketBook, id: string, kept: string) {
  return (await deps.store.row(TICKETS, ticketStreamId(governed.repoKey, id)))?.evidence === kept;
}

async function evidenceOf({ deps }: ChangeParts, { place }: TicketBook, id: string): Promise<string | null> {
  return (await deps.documents.read(place, "evidence", id))?.oid ?? null;
}

import { changeTicketStatus, GOVERNED } from "../../../domains/index.ts";
import {
  archiveTicket,
  type ChangeParts,
  createPlanned,
  createTicket,
  editTicket,
  planTickets,
} from "./change-tickets.ts";
import { ticketProblems } from "./check-tickets.ts";
import { closeTicket, missingFor } from "./close-ticket.ts";
import { beatTicket, claimNext, leaseTicket, nextTicket, releaseTicket } from "./lease-tickets.ts";
import { overlapMap, overlapsWith } from "./overlaps.ts";
import { createTicketRecords } from "./record-tickets.ts";
import { allTickets, createTicketBooks, findTicket, type TicketBook, type TicketBooks } from "./ticket-book.ts";
import type { TicketDeps } from "./ticket-deps.ts";
import { ticketProof } from "./ticket-proof.ts";
import { changeStatus } from "./ticket-status.ts";
import type { GovernedTickets, Tickets } from "./tickets.ts";

export interface TicketService {
  readonly tickets: Tickets;
  readonly governed: GovernedTickets;
  /** Records what changed while no daemon ran, in repositories that are known. Returns at once. */
  readonly start: () => void;
  readonly stop: () => Promise<void>;
}

export function createTickets(deps: TicketDeps): TicketService {
  const plain = createTicketBooks(deps);
  const records = createTicketRecords(deps, () => plain);
  const noticed = async (book: Promise<TicketBook>): Promise<TicketBook> => {
    const found = await book;
    records.notice(found);
    return found;
  };
  const books: TicketBooks = {
    ...plain,
    at: (cwd) => noticed(plain.at(cwd)),
    of: (governed) => noticed(plain.of(governed)),
  };
  const parts: ChangeParts = { deps, books, records };
  let looking: Promise<void> = Promise.resolve();
  return {
    tickets: {
      book: books.at,
      find: findTicket,
      all: allTickets,
      overlapsWith: (book, ticket) => overlapsWith(book, ticket, deps.clock),
      overlaps: async (cwd) => overlapMap(await books.at(cwd), deps.clock),
      problems: async (cwd) => ticketProblems(await books.at(cwd)),
      asRecorded: async (cwd, id, source) => deps.reader.readBlob((await plain.at(cwd)).governed, id, source),
      create: (cwd, wish, by) => createTicket(parts, cwd, wish, by),
      edit: (cwd, given, by) => editTicket(parts, cwd, given, by),
      planned: (cwd, wish) => planTickets(parts, cwd, wish),
      plan: (cwd, wish, by) => createPlanned(parts, cwd, wish, by),
      archive: (cwd, given, by) => archiveTicket(parts, cwd, given, by),
      next: (cwd) => nextTicket(parts, cwd),
      claimNext: (cwd, minutes, by) => claimNext(parts, cwd, minutes, by),
      lease: (cwd, order, by) => leaseTicket(parts, cwd, order, by),
      heartbeat: (cwd, order, by) => beatTicket(parts, cwd, order, by),
      release: (cwd, order, by) => releaseTicket(parts, cwd, order, by),
      close: (cwd, order, by) => closeTicket(parts, cwd, order, by),
      proof: (cwd, question) => ticketProof(parts, cwd, question),
      evidence: async (cwd, id) =>
        (await deps.documents.read((await plain.at(cwd)).place, "evidence", id))?.oid ?? null,
    },
    governed: governedTickets(parts),
    start: () => {
      looking = lookAgain(deps, books).catch((thrown: unknown) => {
        deps.log("tickets were not looked at", { reason: String(thrown) });
      });
    },
    stop: async () => {
      await records.stop();
      await looking;
    },
  };
}

function governedTickets(parts: ChangeParts): GovernedTickets {
  const { deps, books, records } = parts;
  return {
    read: async (governed, id) => findTicket(await books.of(governed), id).ticket,
    statusOf: async (governed, id) => findTicket(await books.of(governed), id).status,
    setStatus: async (governed, id, status, by) => {
      const book = await books.of(governed);
      const found = findTicket(book, id);
      const wanted = { status, since: deps.clock.iso(deps.clock.nowMs()), by: by.actor };
      const changed = await changeStatus(deps.documents, book.place, id, (now) =>
        found.isArchived || (now?.status ?? "todo") === status || now?.status === "done" ? null : wanted,
      );
      if (changed === null) return;
      await records.known(governed, found);
      await records.commit(governed, [{ id, decide: (state) => changeTicketStatus(state, status, by.actor) }], by);
    },
    close: async ({ root, commonDir }, order, by) => void (await closeTicket(parts, root ?? commonDir, order, by)),
    missing: async (governed, id, by) => missingFor(parts, await books.of(governed), id, by),
    notice: async (governed) => void (await books.of(governed)),
  };
}

const KNOWN_MAX = 500;

async function lookAgain({ store, files, log }: TicketDeps, books: TicketBooks): Promise<void> {
  await files.recover();
  for (const { root, at } of await store.rows(GOVERNED, { limit: KNOWN_MAX })) {
    if (at !== "governed" || root === null) continue;
    await books.at(root).catch((thrown: unknown) => {
      log("tickets of a repository were not looked at", { root, reason: String(thrown) });
    });
  }
}

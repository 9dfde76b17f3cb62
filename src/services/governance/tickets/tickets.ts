import type { By } from "../../../commit/index.ts";
import type { Dispatch, Ticket, TicketStatus } from "../../../domains/index.ts";
import type { Governed, HeldLease } from "../../../governance/index.ts";
import type { RecordedEvent } from "../../../store/index.ts";
import type { PlanWish, TicketWish } from "./change-tickets.ts";
import type { TicketProblem } from "./check-tickets.ts";
import type { CloseOrder } from "./close-ticket.ts";
import type { FenceOrder, LeaseOrder } from "./lease-tickets.ts";
import type { OverlapMap } from "./overlaps.ts";
import type { TicketBook, TicketNow } from "./ticket-book.ts";
import type { TicketFields } from "./ticket-fields.ts";
import type { ProofQuestion, TicketProof } from "./ticket-proof.ts";

type Events = Promise<readonly RecordedEvent[]>;

/** Tickets of governed repositories. `cwd`: any directory of one. */
export interface Tickets {
  readonly book: (cwd: string) => Promise<TicketBook>;
  readonly find: (book: TicketBook, id: string) => TicketNow;
  readonly all: (book: TicketBook) => readonly TicketNow[];
  readonly overlapsWith: (
    book: TicketBook,
    ticket: TicketNow,
  ) => Promise<readonly { readonly other: TicketNow; readonly path: string }[]>;
  readonly overlaps: (cwd: string) => Promise<OverlapMap>;
  readonly problems: (cwd: string) => Promise<readonly TicketProblem[]>;
  /** A ticket as its file was when an event recorded it. */
  readonly asRecorded: (cwd: string, id: string, source: string) => Promise<Ticket>;
  readonly create: (cwd: string, wish: TicketWish, by: By) => Events;
  readonly edit: (cwd: string, given: { readonly id: string; readonly fields: TicketFields }, by: By) => Events;
  readonly planned: (cwd: string, wish: PlanWish) => Promise<readonly Ticket[]>;
  readonly plan: (cwd: string, wish: PlanWish, by: By) => Events;
  readonly archive: (
    cwd: string,
    given: { readonly id: string; readonly reason?: string | undefined },
    by: By,
  ) => Events;
  readonly next: (cwd: string) => Promise<{ readonly book: TicketBook; readonly dispatch: Dispatch }>;
  readonly claimNext: (cwd: string, minutes: number | undefined, by: By) => Events;
  readonly lease: (cwd: string, order: LeaseOrder, by: By) => Events;
  readonly heartbeat: (cwd: string, order: FenceOrder, by: By) => Promise<HeldLease>;
  readonly release: (cwd: string, order: FenceOrder, by: By) => Events;
  readonly close: (cwd: string, order: CloseOrder, by: By) => Events;
  /** What a ticket rests on, or what it still lacks. */
  readonly proof: (cwd: string, question: ProofQuestion) => Promise<TicketProof>;
  /** The commit of the evidence; null: there is none. */
  readonly evidence: (cwd: string, id: string) => Promise<string | null>;
}

/** For what works on tickets inside of the daemon, with a law that is open already. */
export interface GovernedTickets {
  readonly read: (governed: Governed, id: string) => Promise<Ticket>;
  readonly statusOf: (governed: Governed, id: string) => Promise<TicketStatus>;
  /** The same status again changes nothing. One that is closed stays so. */
  readonly setStatus: (governed: Governed, id: string, status: TicketStatus, by: By) => Promise<void>;
  readonly close: (governed: Governed, order: CloseOrder, by: By) => Promise<void>;
  readonly missing: (governed: Governed, id: string, by: By) => Promise<readonly string[]>;
  /** Records what git has and the log has not, behind the call. */
  readonly notice: (governed: Governed) => Promise<void>;
}

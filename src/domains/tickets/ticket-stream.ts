import {
  canonicalJson,
  type Decision,
  defineAggregate,
  defineList,
  factsOf,
  putRow,
  refuse,
} from "../../kernel/index.ts";
import { TICKET_MAX, type Ticket, type TicketStatus } from "./ticket.ts";
import {
  evolveTicket,
  type KnownTicket,
  TICKET_EVENTS,
  type TicketBrief,
  type TicketLease,
  type TicketRecord,
  type TicketState,
} from "./ticket-events.ts";

const fact = factsOf(TICKET_EVENTS);

/** The name of a ticket's stream: ids are unique in one repository only. */
export function ticketStreamId(repo: string, ticketId: string): string {
  return `${repo}-${ticketId}`;
}

export function briefOf(ticket: Ticket): TicketBrief {
  const { id, kind, title, type, priority, parent, lane, scope, fileBudget, blockers, labels } = ticket;
  const { risk, resourceProfile, createdAt, checks, acceptance } = ticket;
  return {
    ...{ id, kind, title, type, priority, parent, lane, scope, fileBudget, blockers, labels },
    ...{ risk, resourceProfile, createdAt, checks: checks.length, criteria: acceptance.length },
  };
}

/** Nothing when the same file was recorded last. */
export function recordTicket(state: TicketState, record: TicketRecord): Decision {
  const isKnown = state.at === "present" && state.source === record.source && state.repository === record.repository;
  return isKnown ? [] : [fact("ticket.recorded@1", record)];
}

export function changeTicketStatus(state: TicketState, status: TicketStatus, by: string): Decision {
  if (state.at !== "present") return refuse("ticket_not_found");
  return state.status === status ? [] : [fact("ticket.status_changed@1", { status, by })];
}

export function removeTicket(state: TicketState): Decision {
  return state.at === "present" ? [fact("ticket.removed@1", {})] : [];
}

/**
 * The ref under which the lease lies decides who holds it; this records what it said. An older fence is no news,
 * nor is one that was released.
 */
export function recordTicketLease(state: TicketState, lease: TicketLease): Decision {
  if (state.at !== "present") return refuse("ticket_not_found");
  const isOver = state.lease === null ? lease.fence <= state.fence : lease.fence < state.fence;
  const isKnown = canonicalJson({ ...state.lease }) === canonicalJson({ ...lease });
  return isOver || isKnown ? [] : [fact("ticket.leased@1", lease)];
}

/** The release of an older lease does not end a newer one. */
export function releaseTicketLease(state: TicketState, fence: number): Decision {
  if (state.at === "absent" || state.lease === null || state.lease.fence > fence) return [];
  return [fact("ticket.released@1", { fence })];
}

export function closeTicket(state: TicketState, closed: { readonly evidence: string; readonly by: string }): Decision {
  if (state.at !== "present") return refuse("ticket_not_found");
  return state.evidence === closed.evidence && state.status === "done" ? [] : [fact("ticket.closed@1", closed)];
}

/** What the board and the dispatch need; texts and checks stand in the file. */
export type TicketRow = Omit<KnownTicket, "version"> & { readonly id: string };

export const TICKETS = defineList<TicketRow>()({
  name: "ticket",
  table: "tickets",
  isHot: true,
  keys: {
    /** Null when it is removed, so that lists page through those that are there. */
    repo: { text: ({ at, repo }) => (at === "present" ? repo : null), indexed: true },
    session: { text: ({ lease }) => lease?.sessionId ?? null, indexed: true },
    status: { text: ({ status }) => status },
    leased: { flag: ({ lease }) => lease !== null, indexed: true },
  },
});

export const TicketStream = defineAggregate({
  kind: "ticket",
  events: TICKET_EVENTS,
  lists: [TICKETS],
  limits: {
    patterns: { max: TICKET_MAX.patterns, of: "patterns in the scope of a ticket" },
    blockers: { max: TICKET_MAX.blockers, of: "blockers of a ticket" },
    labels: { max: TICKET_MAX.labels, of: "labels of a ticket" },
  },
  empty: (): TicketState => ({ at: "absent", version: 0 }),
  evolve: evolveTicket,
  ownRows: (state, id) => (state.at === "absent" ? [] : [putRow(TICKETS, id, rowOf(state, id))]),
});

function rowOf({ version: _version, ...known }: KnownTicket, id: string): TicketRow {
  return { id, ...known };
}

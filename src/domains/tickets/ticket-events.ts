import { event, type FactOf, type Placed } from "../../kernel/index.ts";
import type { Ticket, TicketStatus } from "./ticket.ts";

/** What lists and the dispatch need of a ticket. Its texts stand in the file, at `source`. */
export type TicketBrief = Pick<
  Ticket,
  | ("id" | "kind" | "title" | "type" | "priority" | "parent" | "lane" | "scope" | "fileBudget" | "blockers" | "labels")
  | ("risk" | "resourceProfile" | "createdAt")
> & {
  /** How many checks and criteria the file has. */
  readonly checks: number;
  readonly criteria: number;
};

export interface TicketRecord {
  readonly ticket: TicketBrief;
  /** The repository: its key, and the directory that a person knows it by. */
  readonly repo: string;
  readonly repository: string;
  /** The file's blob in git. */
  readonly source: string;
  /** `read`: it was written without Nomos, and found in a checkout. */
  readonly because: "created" | "changed" | "read";
}

/** The right to work on a ticket, as it is recorded under its ref. */
export interface TicketLease {
  readonly fence: number;
  /** Null when somebody holds it without a session. */
  readonly sessionId: string | null;
  readonly owner: string;
  readonly until: string;
}

export const TICKET_EVENTS = {
  "ticket.recorded@1": event<TicketRecord>({ spaceNeed: "start", exact: true, words: ({ ticket }) => ticket.title }),
  "ticket.status_changed@1": event<{ readonly status: TicketStatus; readonly by: string }>(),
  /** Its file is gone from the default branch. */
  "ticket.removed@1": event<Record<string, never>>(),
  /** Claimed, renewed or taken over. Heartbeats are not recorded. */
  "ticket.leased@1": event<TicketLease>({ spaceNeed: "course" }),
  "ticket.released@1": event<{ readonly fence: number }>(),
  /** `evidence`: the commit of the evidence under its ref. */
  "ticket.closed@1": event<{ readonly evidence: string; readonly by: string }>(),
};

interface Known extends Omit<TicketRecord, "because"> {
  readonly version: number;
  readonly status: TicketStatus;
  readonly lease: TicketLease | null;
  /** The highest fence that a lease had. */
  readonly fence: number;
  readonly evidence: string | null;
  readonly recordedAt: string;
  readonly changedAt: string;
}

export type TicketState =
  | { readonly at: "absent"; readonly version: number }
  | (Known & { readonly at: "present" | "removed" });

export type KnownTicket = Exclude<TicketState, { at: "absent" }>;

export function evolveTicket(state: TicketState, placed: Placed<FactOf<typeof TICKET_EVENTS>>): TicketState {
  const { fact: given, version, at } = placed;
  if (given === null) return { ...state, version };
  if (given.type === "ticket.recorded@1") {
    const { because: _because, ...record } = given.data;
    const fresh = { status: "todo" as const, lease: null, fence: 0, evidence: null, recordedAt: at };
    const kept = state.at === "absent" ? fresh : state;
    return { ...kept, ...record, at: "present", version, changedAt: at };
  }
  if (state.at === "absent") return { ...state, version };
  const known = { ...state, version, changedAt: at };
  switch (given.type) {
    case "ticket.status_changed@1":
      return { ...known, status: given.data.status };
    case "ticket.removed@1":
      return { ...known, at: "removed", lease: null };
    case "ticket.leased@1":
      return { ...known, lease: given.data, fence: Math.max(state.fence, given.data.fence) };
    case "ticket.released@1":
      return { ...known, lease: null };
    case "ticket.closed@1":
      return { ...known, status: "done", evidence: given.data.evidence };
    default:
      // Facts that every stream may have, such as an erasure.
      return known;
  }
}

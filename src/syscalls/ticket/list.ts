import * as z from "zod";
import { TICKET_KINDS, TICKET_STATUSES } from "../../domains/index.ts";
import type { TicketNow } from "../../services/index.ts";
import { read, type Syscall } from "../define.ts";
import { Limit } from "../query-text.ts";
import { aboutTicket, placeOf } from "./own-ticket.ts";
import { briefWire, FileFaultWire, faultsWire, OptionalCwd, TicketBriefWire, TicketId } from "./wire.ts";

const LIST_DEFAULT = 100;
const LIST_MAX = 1000;

const Filter = z.object({
  cwd: OptionalCwd,
  status: z
    .enum([...TICKET_STATUSES, "open"])
    .optional()
    .describe("`open`: neither done nor archived; default: not archived"),
  kind: z.enum(TICKET_KINDS).optional(),
  lane: z.string().max(40).optional().describe("tickets that name this lane"),
  parent: TicketId.optional().describe("those below this ticket"),
  label: z.string().max(40).optional(),
  limit: Limit(LIST_MAX),
  after: z.string().max(100).optional().describe("`next` of the previous page"),
});

export const ticketList: Syscall = read({
  name: "ticket.list",
  summary: "List the tickets of a repository, the most urgent first",
  permission: "ticket.read",
  roles: ["viewer", "session"],
  needs: ["tickets", "store"],
  about: aboutTicket,
  input: Filter,
  output: z.object({
    tickets: z.array(TicketBriefWire),
    next: z.string().nullable(),
    faults: z.array(FileFaultWire).describe("files among the tickets that cannot be read"),
  }),
  errors: [
    "cwd_missing",
    "not_governed",
    "not_a_repository",
    "governance_newer",
    "config_invalid",
    "ticket_not_found",
    "ambiguous_id",
  ],
  http: { method: "GET", path: "/api/tickets" },
  cli: { positional: [], paths: ["cwd"], here: { member: "cwd", unless: [] } },
  answer: async (context, { limit = LIST_DEFAULT, after, ...given }) => {
    const { cwd, only } = await placeOf(context, given);
    const { tickets } = context.services;
    const book = await tickets.book(cwd);
    const parent = given.parent === undefined ? undefined : tickets.find(book, given.parent).ticket.id;
    const all = tickets
      .all(book)
      .filter((one) => (only === null ? fits(one, { ...given, parent }) : one.ticket.id === only))
      .toSorted(byRank);
    const start = after === undefined ? 0 : 1 + all.findIndex(({ ticket }) => ticket.id === after);
    const page = all.slice(start, start + limit);
    return {
      tickets: page.map((one) => briefWire(one, book.nowMs)),
      next: start + limit < all.length ? (page.at(-1)?.ticket.id ?? null) : null,
      faults: only === null ? faultsWire(book) : [],
    };
  },
});

function fits(
  { ticket, status }: TicketNow,
  wanted: Omit<z.output<typeof Filter>, "limit" | "after" | "cwd">,
): boolean {
  const isOpen = status !== "done" && status !== "archived";
  if (
    wanted.status === undefined ? status === "archived" : wanted.status === "open" ? !isOpen : status !== wanted.status
  )
    return false;
  if (wanted.kind !== undefined && ticket.kind !== wanted.kind) return false;
  if (wanted.lane !== undefined && ticket.lane !== wanted.lane) return false;
  if (wanted.parent !== undefined && ticket.parent !== wanted.parent) return false;
  return wanted.label === undefined || ticket.labels.includes(wanted.label);
}

function byRank({ ticket: one }: TicketNow, { ticket: other }: TicketNow): number {
  return one.priority - other.priority || (one.id < other.id ? -1 : 1);
}

import * as z from "zod";
import { read, type Syscall } from "../define.ts";
import { aboutTicket, placeOf } from "./own-ticket.ts";
import { NamedTicketWire, namedWire, OptionalCwd, TicketId, TicketWire, ticketWire } from "./wire.ts";

const OVERLAPS_SHOWN = 50;

export const ticketShow: Syscall = read({
  name: "ticket.show",
  summary: "Show a ticket: what is to be done, what it waits for, who works on it, and who may change the same files",
  permission: "ticket.read",
  roles: ["viewer", "session"],
  needs: ["tickets", "store"],
  about: aboutTicket,
  input: z.object({
    cwd: OptionalCwd,
    id: TicketId.describe("a ticket's id, or the beginning or the end of it; of a session also `self`"),
  }),
  output: TicketWire.extend({
    children: z.array(NamedTicketWire),
    waitsFor: z.array(NamedTicketWire).describe("blockers that are not done"),
    unknown: z.array(z.string()).describe("blockers and parent that do not exist"),
    overlaps: z
      .array(NamedTicketWire.extend({ path: z.string() }))
      .describe("other open tasks that may change the same files, each with such a path"),
  }),
  errors: [
    ...(["cwd_missing", "not_governed", "not_a_repository", "governance_newer", "config_invalid"] as const),
    ...(["ticket_not_found", "ticket_invalid", "ambiguous_id"] as const),
  ],
  http: { method: "GET", path: "/api/tickets/:id" },
  cli: {
    positional: ["id"],
    paths: ["cwd"],
    here: { member: "cwd", unless: [] },
    card: [
      ["Ticket", "{id}: {title}"],
      ["Text", "{body}"],
      ["Kind", "{kind}, {type}, priority {priority}, risk {risk}"],
      ["Status", "{status}"],
      ["Since", "{since|age} by {by}"],
      ["Last lease", "fence {lease.fence}, held by {lease.owner} until {lease.until}"],
      ["Parent", "{parent}"],
      ["Lane", "{lane}"],
      ["Labels", "{labels}"],
      ["Allows", "{scope.allow}"],
      ["Denies", "{scope.deny}"],
      ["Budget", "{fileBudget.files|file}, {fileBudget.lines|line}"],
      ["Checks", "{checks}"],
      ["Waits for", "{blockers}"],
      ["Unknown", "{unknown}"],
      ["Boundary", "{boundary}"],
      ["Success", "{successCondition}"],
      ["Thoughts", "{brainDump}"],
      ["Below", "{children.length|ticket}: nomos ticket list --parent {id}"],
      ["Overlaps", "{overlaps.length|open task}: nomos ticket overlaps"],
      ["File", "{path}"],
    ],
  },
  answer: async (context, given) => {
    const { cwd, only } = await placeOf(context, given);
    const { tickets } = context.services;
    const book = await tickets.book(cwd);
    const found = tickets.find(book, only ?? given.id);
    const { id, parent, blockers, kind } = found.ticket;
    const all = new Map(tickets.all(book).map((one) => [one.ticket.id, one]));
    const waits = blockers.flatMap((blocker) => all.get(blocker) ?? []);
    const overlaps = kind === "task" ? (await tickets.overlapsWith(book, found)).slice(0, OVERLAPS_SHOWN) : [];
    return {
      ...ticketWire(found, book.nowMs),
      children: [...all.values()].filter(({ ticket }) => ticket.parent === id).map(namedWire),
      waitsFor: waits.filter(({ status }) => status !== "done" && status !== "archived").map(namedWire),
      unknown: [...(parent === null ? [] : [parent]), ...blockers].filter((one) => !all.has(one)),
      overlaps: overlaps.map(({ other, path }) => ({ ...namedWire(other), path })),
    };
  },
});

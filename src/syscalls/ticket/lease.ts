import * as z from "zod";
import { LEASE_LIMITS, type TicketLease, TicketStream } from "../../domains/index.ts";
import { idIn } from "../../kernel/index.ts";
import type { RecordedEvent } from "../../store/index.ts";
import { type Syscall, write } from "../define.ts";
import { byOf } from "../session/answer.ts";
import { aboutTicket, placeOf } from "./own-ticket.ts";
import { briefWire, Cwd, OptionalCwd, TicketBriefWire, TicketId } from "./wire.ts";

const LAW = ["cwd_missing", "not_governed", "not_a_repository", "governance_newer", "config_invalid"] as const;
const NAMED = ["ticket_not_found", "ticket_invalid", "ambiguous_id"] as const;
const LEASES = [
  "lease_lost",
  "lease_duration_invalid",
  "lease_rewound",
  "lease_damaged",
  "lease_remote_failed",
] as const;
const LOG = ["git_failed", "ref_conflict", "quota_exceeded", "disk_low", "overloaded", "sandbox_floor"] as const;
const ALL = [...LAW, ...NAMED, ...LEASES, ...LOG, "ticket_leased"] as const;

const Minutes = z.coerce
  .number()
  .int()
  .min(LEASE_LIMITS.minutesMin)
  .max(LEASE_LIMITS.minutesMax)
  .optional()
  .describe("how long it lasts without a heartbeat; default: `leases.minutes` of the configuration");
const Fence = z.coerce.number().int().min(1).describe("of the lease");
const Held = z.object({ id: z.string(), fence: z.number().int(), until: z.string() });
const here = { paths: ["cwd"], here: { member: "cwd", unless: [] } } as const;

/** The right to work on a ticket. Whoever shows an old fence is refused. */
export const ticketLease: readonly Syscall[] = [
  write({
    name: "ticket.next",
    summary: "Say which ticket is next, and why not the others; with `--claim` take its lease",
    permission: "ticket.lease",
    roles: [],
    needs: ["tickets", "store"],
    rights: "person",
    about: aboutTicket,
    input: z.object({ cwd: Cwd, claim: z.boolean().optional(), minutes: Minutes }),
    output: z.object({
      ticket: TicketBriefWire.nullable(),
      because: z
        .enum(["none_open", "global_limit", "lanes_full", "all_blocked", "all_leased"])
        .nullable()
        .describe("why nothing is next"),
      fence: z.number().int().optional().describe("of the lease that was taken"),
      until: z.string().optional(),
      waiting: z
        .array(
          z.object({
            id: z.string(),
            title: z.string(),
            score: z.number(),
            lane: z.string().optional(),
            heldBack: z.enum(["global_limit", "lane_full", "blocked", "leased"]).optional(),
          }),
        )
        .describe("open tasks, the best first"),
      lanes: z.array(
        z.object({
          name: z.string(),
          types: z.array(z.string()).describe("of the tickets that it takes; `*`: any"),
          active: z.number().int(),
          count: z.number().int(),
        }),
      ),
    }),
    errors: ALL,
    http: { method: "POST", path: "/api/tickets/next" },
    cli: {
      positional: [],
      ...here,
      says: [
        [
          ["because", "none_open", "No task waits to be worked on."],
          ["because", "global_limit", "As many tickets are worked on as `ticketsAtOnceMax` allows."],
          ["because", "lanes_full", "All lanes that have an open task are full."],
          ["because", "all_blocked", "Every open task waits for another one."],
          ["because", "all_leased", "Somebody works on every open task."],
          ["because", null, "{ticket.id}: {ticket.title}"],
        ],
        "Leased until {until}, fence {fence}.",
      ],
      rows: "waiting",
    },
    commit: async (context, { cwd, claim, minutes }) =>
      claim === true ? context.services.tickets.claimNext(cwd, minutes, byOf(context)) : [],
    answer: async (context, { cwd, claim = false }, events) => {
      const { book, dispatch } = await context.services.tickets.next(cwd);
      const { tickets } = context.services;
      const leased = leaseIn(events);
      const id = claim ? (leased?.id ?? null) : (dispatch.next?.id ?? null);
      const title = (of: string): string => tickets.find(book, of).ticket.title;
      return {
        ticket: id === null ? null : briefWire(tickets.find(book, id), book.nowMs),
        // Where a claim found nothing, everything was taken at that moment.
        because: id === null ? (dispatch.because ?? "all_leased") : null,
        ...(leased === null ? {} : { fence: leased.fence, until: leased.until }),
        waiting: dispatch.ranked.slice(0, WAITING_SHOWN).map((one) => ({
          ...{ id: one.id, title: title(one.id), score: Math.round(one.score * 1000) / 1000 },
          ...(one.lane === null ? {} : { lane: one.lane }),
          ...(one.heldBack === null ? {} : { heldBack: one.heldBack }),
        })),
        lanes: dispatch.lanes.map(({ name, types, active, count }) => ({ name, types: [...types], active, count })),
      };
    },
  }),
  write({
    name: "ticket.lease",
    summary: "Take the lease of a ticket by hand; nobody else may work on it until it ends",
    permission: "ticket.lease",
    roles: [],
    needs: ["tickets", "store"],
    rights: "person",
    about: aboutTicket,
    input: z.object({ cwd: Cwd, id: TicketId, minutes: Minutes }),
    output: Held,
    errors: [...ALL, "ticket_closed"],
    http: { method: "POST", path: "/api/tickets/:id/lease" },
    cli: {
      positional: ["id"],
      ...here,
      says: ["Leased {id} until {until}, fence {fence}.", "Next: nomos ticket heartbeat {id} {fence}"],
    },
    commit: (context, { cwd, ...order }) => context.services.tickets.lease(cwd, order, byOf(context)),
    answer: async (context, { cwd, id }, events) => {
      const { tickets } = context.services;
      const found = tickets.find(await tickets.book(cwd), id);
      const { fence = 0, until = "" } = leaseIn(events) ?? found.lease ?? {};
      return { id: found.ticket.id, fence, until };
    },
  }),
  write({
    name: "ticket.heartbeat",
    summary: "Keep the lease of a ticket for longer",
    permission: "ticket.heartbeat",
    roles: ["session"],
    needs: ["tickets", "store"],
    about: aboutTicket,
    input: z.object({ cwd: OptionalCwd, id: TicketId, fence: Fence, minutes: Minutes }),
    output: Held,
    errors: ALL,
    http: { method: "POST", path: "/api/tickets/:id/heartbeat" },
    cli: { positional: ["id", "fence"], ...here, says: ["{id} is leased until {until}."] },
    idempotent: true,
    // What it did stands in the lease, and nowhere else.
    commit: async (context, { cwd: given, id, fence, minutes }) => {
      const { cwd, only } = await placeOf(context, { cwd: given, id });
      const { sessionId } = context.actor;
      await context.services.tickets.heartbeat(cwd, { id: only ?? id, fence, minutes, sessionId }, byOf(context));
      return [];
    },
    answer: async (context, { cwd: given, id, fence }) => {
      const { cwd, only } = await placeOf(context, { cwd: given, id });
      const { tickets } = context.services;
      const { ticket, lease } = tickets.find(await tickets.book(cwd), only ?? id);
      return { id: ticket.id, fence, until: lease?.until ?? "" };
    },
  }),
  write({
    name: "ticket.release",
    summary: "Give the lease of a ticket back",
    permission: "ticket.lease",
    roles: [],
    needs: ["tickets", "store"],
    rights: "person",
    about: aboutTicket,
    input: z.object({ cwd: Cwd, id: TicketId, fence: Fence }),
    output: z.object({ ok: z.literal(true), id: z.string() }),
    errors: ALL,
    http: { method: "POST", path: "/api/tickets/:id/release" },
    cli: { positional: ["id", "fence"], ...here, says: ["{id} is free again."] },
    idempotent: true,
    commit: (context, { cwd, ...order }) => context.services.tickets.release(cwd, order, byOf(context)),
    answer: async (context, { cwd, id }) => {
      const { tickets } = context.services;
      return { ok: true as const, id: tickets.find(await tickets.book(cwd), id).ticket.id };
    },
  }),
  write({
    name: "ticket.close",
    summary: "Close a ticket on proof: its work has landed, its checks were seen to pass, each criterion has a witness",
    permission: "ticket.write",
    roles: [],
    needs: ["tickets", "store"],
    rights: "person",
    about: aboutTicket,
    input: z.object({
      cwd: Cwd,
      id: TicketId,
      fence: Fence.optional().describe(
        "of the lease that its work was done under; without one nobody may hold a lease",
      ),
      witnesses: z
        .record(z.string().max(40), z.string().max(64))
        .optional()
        .describe('an event of the log for each criterion without a check: `{"ACC-1": "EVENT"}`'),
    }),
    output: z.object({
      ok: z.literal(true),
      id: z.string(),
      evidence: z.string().describe("the commit that holds it"),
    }),
    errors: [...ALL, "unproven", "ticket_closed"],
    http: { method: "POST", path: "/api/tickets/:id/close" },
    cli: { positional: ["id"], ...here, says: ["Closed {id}.", "Next: nomos ticket archive {id}"] },
    commit: (context, { cwd, ...order }) => context.services.tickets.close(cwd, order, byOf(context)),
    answer: async (context, { cwd, id }, events) => {
      const { tickets } = context.services;
      const { ticket } = tickets.find(await tickets.book(cwd), id);
      return {
        ok: true as const,
        id: ticket.id,
        evidence: evidenceIn(events) ?? (await tickets.evidence(cwd, ticket.id)) ?? "",
      };
    },
  }),
];

const WAITING_SHOWN = 100;

function leaseIn(events: readonly RecordedEvent[]): (TicketLease & { readonly id: string }) | null {
  const event = events.findLast(({ type }) => type === "ticket.leased@1");
  if (event === undefined) return null;
  const lease = event.data as unknown as TicketLease;
  const id = idIn(TicketStream, event.stream) ?? "";
  return { ...lease, id: id.slice(id.indexOf("-") + 1) };
}

function evidenceIn(events: readonly RecordedEvent[]): string | null {
  const event = events.findLast(({ type }) => type === "ticket.closed@1");
  return event === undefined ? null : String((event.data as { readonly evidence?: unknown } | null)?.evidence);
}

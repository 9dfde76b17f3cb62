import * as z from "zod";
import { NomosError } from "../../contract/index.ts";
import { TICKET_KINDS, TICKET_MAX, type TicketRecord, TicketStream } from "../../domains/index.ts";
import { ticketPath } from "../../governance/index.ts";
import { idIn } from "../../kernel/index.ts";
import type { TicketFields } from "../../services/index.ts";
import type { RecordedEvent } from "../../store/index.ts";
import { type Context, type Syscall, write } from "../define.ts";
import { byOf } from "../session/answer.ts";
import { briefWire, Cwd, Fields, TicketBriefWire, TicketId, TicketWire, ticketWire } from "./wire.ts";

const LAW = ["cwd_missing", "not_governed", "not_a_repository", "governance_newer", "config_invalid"] as const;
const GIT = ["law_branch_blocked", "git_failed", "git_missing", "repository_invalid", "disk_full"] as const;
const LOG = ["quota_exceeded", "disk_low", "overloaded", "sandbox_floor"] as const;
const WRITING = [...LAW, ...GIT, ...LOG] as const;
const PLACED = ["ticket_not_found", "ambiguous_id", "invalid_parent"] as const;

const Title = z.string().min(1).max(TICKET_MAX.titleChars);
const here = { paths: ["cwd"], here: { member: "cwd", unless: [] } } as const;
const aboutOne = (input: Record<string, unknown>): string => `ticket/${String(input["id"] ?? "new")}`;

/** What changes the files of tickets: each is a commit on the default branch. */
export const ticketChange: readonly Syscall[] = [
  write({
    name: "ticket.create",
    summary: "Write a ticket into the repository: an intent, an epic below one, or a task",
    permission: "ticket.write",
    roles: [],
    needs: ["tickets", "store"],
    rights: "person",
    about: aboutOne,
    input: z.object({
      cwd: Cwd,
      kind: z.enum(TICKET_KINDS),
      title: Title,
      parent: TicketId.optional().describe("the intent of an epic; the epic or intent of a task"),
      lane: z.string().max(TICKET_MAX.wordChars).optional(),
      ...Fields,
    }),
    output: TicketWire,
    errors: [...WRITING, ...PLACED],
    http: { method: "POST", path: "/api/tickets", status: 201 },
    cli: {
      positional: ["kind", "title"],
      ...here,
      says: ["Created the {kind} {id} in {path}.", "Next: nomos ticket show {id}"],
    },
    commit: (context, { cwd, kind, ...fields }) =>
      context.services.tickets.create(cwd, { kind, ...fieldsOf(fields) }, byOf(context)),
    answer: async (context, { cwd }, events) => recordedWire(context, cwd, events),
  }),
  write({
    name: "ticket.edit",
    summary: "Change a ticket; what is not named stays as it is, and so does what people wrote beside it",
    permission: "ticket.write",
    roles: [],
    needs: ["tickets", "store"],
    rights: "person",
    about: aboutOne,
    input: z.object({
      cwd: Cwd,
      id: TicketId,
      title: Title.optional(),
      parent: TicketId.nullable().optional(),
      lane: z.string().max(TICKET_MAX.wordChars).nullable().optional(),
      ...Fields,
    }),
    output: TicketWire,
    errors: [...WRITING, ...PLACED, "ticket_invalid", "ticket_closed"],
    http: { method: "PUT", path: "/api/tickets/:id" },
    cli: { positional: ["id"], ...here, says: ["Changed {id}: {title}.", "Next: nomos ticket show {id}"] },
    idempotent: true,
    commit: (context, { cwd, id, ...fields }) =>
      context.services.tickets.edit(cwd, { id, fields: fieldsOf(fields) }, byOf(context)),
    answer: async (context, { cwd, id }, events) => recordedWire(context, cwd, events, id),
  }),
  write({
    name: "ticket.plan",
    summary:
      "Make the tickets of a plan: `### EPIC-1: title`, and `* T1: title` for its tasks, `(after T1)` behind one that waits",
    permission: "ticket.write",
    roles: [],
    needs: ["tickets", "store"],
    rights: "person",
    about: aboutOne,
    input: z.object({
      cwd: Cwd,
      text: z
        .string()
        .min(1)
        .max(100_000)
        .describe("the plan; on the command line the name of its file, `-` for standard input"),
      parent: TicketId.optional().describe("the intent that it is for"),
      dryRun: z.boolean().optional().describe("only say what it would make"),
    }),
    output: z.object({ dryRun: z.boolean(), tickets: z.array(TicketBriefWire) }),
    errors: [...WRITING, ...PLACED, "body_too_large"],
    http: { method: "POST", path: "/api/tickets/plan" },
    cli: {
      positional: ["text"],
      ...here,
      files: ["text"],
      says: [
        [
          ["dryRun", true, "Dry run, nothing is written. It would make {tickets.length|ticket}."],
          ["dryRun", false, "Made {tickets.length|ticket}. Next: nomos ticket next"],
        ],
      ],
      rows: "tickets",
    },
    commit: async (context, { cwd, dryRun, ...wish }) =>
      dryRun === true ? [] : context.services.tickets.plan(cwd, wish, byOf(context)),
    answer: async (context, { cwd, dryRun = false, ...wish }, events) => {
      const { tickets } = context.services;
      const made = dryRun
        ? (await tickets.planned(cwd, wish)).map((ticket) => ({ ticket }))
        : await Promise.all(recordsIn(events).map((one) => asRecorded(context, cwd, one)));
      return { dryRun, tickets: made.map((one) => briefWire(one, 0)) };
    },
  }),
  write({
    name: "ticket.archive",
    summary: "Move a ticket that is done into the archive; one that nobody will do needs a reason",
    permission: "ticket.write",
    roles: [],
    needs: ["tickets", "store"],
    rights: "person",
    about: aboutOne,
    input: z.object({
      cwd: Cwd,
      id: TicketId,
      reason: z.string().min(1).max(500).optional().describe("why nobody will do it"),
    }),
    output: z.object({ ok: z.literal(true), id: z.string(), path: z.string() }),
    errors: [
      ...WRITING,
      "ticket_not_found",
      "ambiguous_id",
      "ticket_invalid",
      "ticket_open",
      "ticket_leased",
      "ref_conflict",
    ],
    http: { method: "POST", path: "/api/tickets/:id/archive" },
    cli: { positional: ["id", "reason"], ...here, says: ["Archived {id}: it is in {path}."] },
    idempotent: true,
    commit: (context, { cwd, id, reason }) => context.services.tickets.archive(cwd, { id, reason }, byOf(context)),
    answer: async (context, { cwd, id }) => {
      const { tickets } = context.services;
      const { ticket, path } = tickets.find(await tickets.book(cwd), id);
      return { ok: true as const, id: ticket.id, path };
    },
  }),
];

type GivenFields = { readonly [K in keyof typeof Fields]?: unknown } & {
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
  readonly scope?: TicketFields["scope"];
};

function fieldsOf<T extends GivenFields>({ allow, deny, scope, ...rest }: T): Omit<T, "allow" | "deny"> {
  const short = { ...(allow === undefined ? {} : { allow }), ...(deny === undefined ? {} : { deny }) };
  if (scope === undefined && Object.keys(short).length === 0) return rest as Omit<T, "allow" | "deny">;
  return { ...rest, scope: { ...scope, ...short } } as unknown as Omit<T, "allow" | "deny">;
}

type Needed = Context<"tickets" | "store">;

function recordsIn(events: readonly RecordedEvent[]): readonly TicketRecord[] {
  return events
    .filter(({ stream, type }) => type === "ticket.recorded@1" && idIn(TicketStream, stream) !== null)
    .map(({ data }) => data as unknown as TicketRecord);
}

/** As the events left it: the file that they name never changes. */
async function recordedWire(
  context: Needed,
  cwd: string,
  events: readonly RecordedEvent[],
  given?: string,
): Promise<z.input<typeof TicketWire>> {
  const { tickets } = context.services;
  const book = await tickets.book(cwd);
  const [record] = recordsIn(events);
  // An edit that changes nothing has no event.
  if (record === undefined && given === undefined)
    throw new NomosError("internal", { reason: "no ticket in what was written" });
  if (record === undefined) return ticketWire(tickets.find(book, given ?? ""), book.nowMs);
  return ticketWire(await asRecorded(context, cwd, record), book.nowMs);
}

async function asRecorded({ services: { tickets } }: Needed, cwd: string, { ticket: { id }, source }: TicketRecord) {
  return { ticket: await tickets.asRecorded(cwd, id, source), path: ticketPath(id) };
}

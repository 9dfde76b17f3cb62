import * as z from "zod";
import { ticketStreamId } from "../../domains/index.ts";
import type { Store } from "../../store/index.ts";
import { read, type Syscall } from "../define.ts";
import { aboutTicket, placeOf } from "./own-ticket.ts";
import { NamedTicketWire, namedWire, OptionalCwd, TicketId } from "./wire.ts";

const Argv = z.array(z.string());

/** As the daemon writes it. A ref can be written by others, so nothing is believed that has another shape. */
const Evidence = z.object({
  session: z.string().optional(),
  agent: z.string().optional(),
  model: z
    .string()
    .nullish()
    .transform((model) => model ?? undefined),
  branch: z.string().optional(),
  landing: z.string().optional().describe("the landing that brought the work"),
  commit: z.string().optional().describe("what it put on the branch"),
  checks: z.array(Argv).optional().describe("seen to pass in that landing"),
  criteria: z
    .array(
      z.object({
        id: z.string(),
        text: z.string(),
        witness: z.object({
          check: Argv.optional(),
          event: z.string().optional().describe("an event of the log"),
          namedBy: z.string().optional(),
        }),
      }),
    )
    .optional(),
  event: z
    .object({ id: z.string() })
    .nullish()
    .transform((event) => event?.id)
    .describe("the event that recorded the landing"),
  below: z
    .array(z.object({ id: z.string(), status: z.string() }))
    .optional()
    .describe("of an epic or intent"),
});

const EvidenceWire = Evidence.extend({ model: z.string().optional(), event: z.string().optional() });

export const ticketProof: Syscall = read({
  name: "ticket.proof",
  summary: "Show what proves that a ticket is done, or what is still missing for it to be closed",
  permission: "ticket.read",
  roles: ["viewer", "session"],
  needs: ["tickets", "store"],
  heavy: true,
  about: aboutTicket,
  input: z.object({ cwd: OptionalCwd, id: TicketId.describe("a ticket; of a session also `self`") }),
  output: NamedTicketWire.extend({
    proven: z.boolean().describe("it is closed, or could be closed now"),
    missing: z.array(z.string()),
    evidence: EvidenceWire.optional().describe("of a ticket that is not closed: what it would rest on"),
    kept: z.string().optional().describe("the commit under `refs/nomos/evidence/` that holds it"),
    closed: z
      .object({ event: z.string(), at: z.string(), by: z.string(), same: z.boolean() })
      .optional()
      .describe("as the log has it; `same`: it names the very commit that is kept"),
  }),
  errors: [
    ...(["cwd_missing", "not_governed", "not_a_repository", "governance_newer", "config_invalid"] as const),
    ...(["ticket_not_found", "ticket_invalid", "ambiguous_id", "git_failed", "overloaded"] as const),
  ],
  http: { method: "GET", path: "/api/tickets/:id/proof" },
  cli: {
    positional: ["id"],
    paths: ["cwd"],
    here: { member: "cwd", unless: [] },
    card: [
      ["Ticket", "{id}: {title}"],
      ["Status", "{status}"],
      ["Proven", "{proven}"],
      ["Missing", "{missing}"],
      ["Landed", "{evidence.commit} on {evidence.branch}"],
      ["Checks", "{evidence.checks}"],
      ["Evidence", "{kept}"],
      ["Recorded", "{closed.at|age} by {closed.by}"],
    ],
    succeeds: { member: "proven", value: "true" },
  },
  answer: async (context, given) => {
    const { cwd, only } = await placeOf(context, given);
    const { tickets, store } = context.services;
    const proof = await tickets.proof(cwd, { id: only ?? given.id, actor: context.actor.principal });
    const { book, ticket, kept, missing } = proof;
    const evidence = Evidence.safeParse(proof.evidence).data;
    const closed = kept === null ? null : await closingOf(store, book.governed.repoKey, ticket.ticket.id);
    return {
      ...namedWire(ticket),
      ...{ proven: missing.length === 0 && proof.evidence !== null, missing: [...missing] },
      ...(evidence === undefined ? {} : { evidence }),
      ...(kept === null ? {} : { kept }),
      ...(closed === null ? {} : { closed: { ...closed.told, same: closed.evidence === kept } }),
    };
  },
});

const Closing = z.object({ evidence: z.string(), by: z.string() });

async function closingOf(store: Pick<Store, "readStream">, repo: string, id: string) {
  const query = { types: ["ticket.closed@1"], order: "desc", limit: 1 } as const;
  const [event] = (await store.readStream(`ticket/${ticketStreamId(repo, id)}`, query)).events;
  const data = Closing.safeParse(event?.data).data;
  if (event === undefined || data === undefined) return null;
  return { evidence: data.evidence, told: { event: event.id, at: event.at, by: data.by } };
}

import * as z from "zod";
import { CheckArgv } from "../../contract/index.ts";
import {
  isLive,
  type Lease,
  RESOURCE_PROFILES,
  TICKET_KINDS,
  TICKET_MAX,
  TICKET_RISKS,
  TICKET_STATUSES,
  type Ticket,
} from "../../domains/index.ts";
import type { TicketBook, TicketNow } from "../../services/index.ts";

export const TicketId = z.string().min(1).max(TICKET_MAX.idChars);
export const Cwd = z.string().min(1).max(4096).describe("a directory of the repository");
/** Of calls that a session may make with its own token: it always means its own repository. */
export const OptionalCwd = Cwd.optional().describe("a directory of the repository; a session's own call needs none");

const Patterns = z.array(z.string().max(TICKET_MAX.patternChars)).max(TICKET_MAX.patterns);
const Text = z.string().max(TICKET_MAX.textChars);
const Word = z.string().max(TICKET_MAX.wordChars);

const CriterionWire = z.object({
  id: z.string(),
  text: z.string(),
  check: z.array(z.string()).optional().describe("its passing is the witness; without one somebody names an event"),
});

/** What may be said of a ticket, when it is made and when it is edited. */
export const Fields = {
  body: Text.optional(),
  type: Word.optional().describe("such as feature, bug, chore or docs: lanes take tickets by it"),
  priority: z.coerce.number().int().min(1).max(5).optional().describe("1 is the most urgent; default 3"),
  scope: z
    .object({ allow: Patterns.optional(), deny: Patterns.optional() })
    .optional()
    .describe('what its work may change: `{"allow": ["src/api/**"], "deny": []}`'),
  allow: Patterns.optional().describe("in short for `scope.allow`"),
  deny: Patterns.optional().describe("in short for `scope.deny`"),
  fileBudget: z
    .object({ files: z.number().int().min(1).optional(), lines: z.number().int().min(1).optional() })
    .optional()
    .describe("how much its work may change"),
  checks: z
    .array(CheckArgv)
    .max(TICKET_MAX.checks)
    .optional()
    .describe('programs that have to pass: `[["npm", "test"]]`'),
  acceptance: z
    .array(CriterionWire)
    .max(TICKET_MAX.criteria)
    .optional()
    .describe('`[{"id": "ACC-1", "text": "...", "check": ["npm", "test"]}]`'),
  blockers: z.array(TicketId).max(TICKET_MAX.blockers).optional().describe("tickets that have to be done first"),
  labels: z.array(Word).max(TICKET_MAX.labels).optional(),
  risk: z.enum(TICKET_RISKS).optional(),
  resourceProfile: z.enum(RESOURCE_PROFILES).optional(),
  brainDump: Text.optional().describe("of an intent: what is meant, as it came to mind"),
  boundary: Text.optional().describe("what must not be touched, in words and patterns"),
  successCondition: Text.optional(),
};

const LeaseWire = z.object({
  fence: z.number().int(),
  owner: z.string(),
  sessionId: z.string().optional(),
  until: z.string(),
  live: z.boolean().describe("false: it has ended or was released"),
});

const Brief = z.object({
  id: z.string(),
  kind: z.enum(TICKET_KINDS),
  title: z.string(),
  status: z.enum(TICKET_STATUSES),
  type: z.string(),
  priority: z.number().int(),
  parent: z.string().optional(),
  lane: z.string().optional(),
  labels: z.array(z.string()),
  blockers: z.array(z.string()),
  scope: z.object({ allow: z.array(z.string()), deny: z.array(z.string()) }),
  fileBudget: z.object({ files: z.number().int(), lines: z.number().int() }),
  risk: z.enum(TICKET_RISKS),
  resourceProfile: z.enum(RESOURCE_PROFILES),
  createdAt: z.string().optional(),
  since: z.string().optional().describe("when it got its status"),
  by: z.string().optional().describe("who gave it its status"),
  lease: LeaseWire.optional(),
});
export const TicketBriefWire = Brief;

export const TicketWire = Brief.extend({
  body: z.string(),
  checks: z.array(z.array(z.string())),
  acceptance: z.array(CriterionWire),
  brainDump: z.string(),
  boundary: z.string(),
  successCondition: z.string(),
  path: z.string().describe("its file in the repository"),
});

/** Another ticket, where it is named. */
export const NamedTicketWire = Brief.pick({ id: true, kind: true, title: true, status: true });

export const FileFaultWire = z.object({
  path: z.string(),
  id: z.string().optional(),
  message: z.string(),
  remedy: z.string(),
});

type Told = Pick<TicketNow, "ticket"> & Partial<Pick<TicketNow, "status" | "since" | "by" | "lease">>;

export function briefWire({ ticket, status = "todo", since = null, by = null, lease = null }: Told, nowMs: number) {
  const { id, kind, title, type, priority, parent, lane, labels, blockers, scope, fileBudget } = ticket;
  const { risk, resourceProfile, createdAt } = ticket;
  return {
    ...{ id, kind, title, status, type, priority },
    ...(parent === null ? {} : { parent }),
    ...(lane === null ? {} : { lane }),
    labels: [...labels],
    blockers: [...blockers],
    scope: { allow: [...scope.allow], deny: [...scope.deny] },
    ...{ fileBudget, risk, resourceProfile },
    ...(createdAt === null ? {} : { createdAt }),
    ...(since === null ? {} : { since }),
    ...(by === null ? {} : { by }),
    ...(lease === null ? {} : { lease: leaseWire(lease, nowMs) }),
  } satisfies z.input<typeof Brief>;
}

export function ticketWire(told: Told & Pick<TicketNow, "path">, nowMs: number): z.input<typeof TicketWire> {
  const { ticket, path } = told;
  const { body, checks, acceptance, brainDump, boundary, successCondition }: Ticket = ticket;
  return {
    ...briefWire(told, nowMs),
    ...{ body, brainDump, boundary, successCondition, path },
    checks: checks.map((argv) => [...argv]),
    acceptance: acceptance.map(({ id, text, check }) => ({
      id,
      text,
      ...(check === null ? {} : { check: [...check] }),
    })),
  };
}

export function namedWire({ ticket: { id, kind, title }, status }: TicketNow) {
  return { id, kind, title, status };
}

export function faultsWire({ files }: TicketBook): z.input<typeof FileFaultWire>[] {
  return files.faults.map(({ path, id, message, remedy }) => ({
    path,
    ...(id === null ? {} : { id }),
    message,
    remedy,
  }));
}

function leaseWire(lease: Lease & { readonly until: string }, nowMs: number): z.input<typeof LeaseWire> {
  const { fence, owner, sessionId, until } = lease;
  return { fence, owner, ...(sessionId === null ? {} : { sessionId }), until, live: isLive(lease, nowMs) };
}

import { realpath } from "node:fs/promises";
import { NomosError, toNomosError } from "../../../contract/index.ts";
import {
  overlapOf,
  parseScope,
  type Scope,
  type Ticket,
  type TicketStatus,
  type WorkRole,
} from "../../../domains/index.ts";
import { isRefusal } from "../../../kernel/index.ts";
import type { HeldLaw } from "../laws/held-law.ts";
import type { WorkDeps } from "./work-deps.ts";

/** A ticket that may be worked on, and the law it is worked on under. */
export interface ReadyTicket {
  readonly law: HeldLaw & { readonly sound: NonNullable<HeldLaw["sound"]> };
  readonly ticket: Ticket;
  readonly status: TicketStatus;
}

const CLOSED: readonly TicketStatus[] = ["done", "archived"];
const MISSING_SHOWN = 20;

/** Refuses what cannot be worked on: no law, a law that does not hold, a ticket that is closed or blocked. */
export async function readyTicket(deps: WorkDeps, cwd: string, named: string): Promise<ReadyTicket> {
  const law = await lawAt(deps, cwd);
  // It may be named in short.
  const ticket = await deps.tickets.read(law.governed, named);
  const { id: ticketId } = ticket;
  const status = await deps.tickets.statusOf(law.governed, ticketId);
  if (CLOSED.includes(status)) throw new NomosError("ticket_closed", { ticket: ticketId, status });
  const open: string[] = [];
  for (const blocker of ticket.blockers) if (!(await isDone(deps, law, blocker))) open.push(blocker);
  if (open.length > 0)
    throw new NomosError(
      "ticket_blocked",
      { ticket: ticketId, blockers: open.slice(0, MISSING_SHOWN) },
      { message: `${ticketId} waits for ${open.slice(0, MISSING_SHOWN).join(", ")}.` },
    );
  return { law, ticket, status };
}

/** The law at a directory, if it holds. */
export async function lawAt(deps: Pick<WorkDeps, "laws">, cwd: string): Promise<ReadyTicket["law"]> {
  const law = await namedLaw(deps, cwd);
  if (law.sound !== null) return { ...law, sound: law.sound };
  const { root, branch } = law.governed;
  const problems = law.problems.map(({ code, message }) => ({ code, message }));
  const told = problems.map(({ message }) => message).join(" ");
  throw new NomosError("governance_invalid", { root, branch, problems }, { message: told });
}

/** The law at a directory that a caller names; it need not hold. */
export async function namedLaw({ laws }: Pick<WorkDeps, "laws">, cwd: string): Promise<HeldLaw> {
  const path = await realpath(cwd).catch(() => null);
  if (path === null) throw new NomosError("cwd_missing", { cwd });
  const law = await laws.at(path);
  if (law === null) throw new NomosError("not_governed", { cwd });
  return law;
}

async function isDone(deps: WorkDeps, law: HeldLaw, ticketId: string): Promise<boolean> {
  try {
    return CLOSED.includes(await deps.tickets.statusOf(law.governed, ticketId));
  } catch (thrown) {
    if (toNomosError(thrown).code === "ticket_not_found") return false;
    throw thrown;
  }
}

/** What the session may change: the ticket's scope, without what the law denies to every session. */
export function scopeOfWork(ticket: Ticket, { sound }: ReadyTicket["law"], role: WorkRole, denials: Denied): Scope {
  if (role === "audit") return { allow: [], deny: ["**"] };
  const allow = ticket.scope.allow.length === 0 ? ["**"] : ticket.scope.allow;
  const room = PATTERNS_MAX - allow.length - ticket.scope.deny.length;
  // What a scope cannot say, such as places outside of the repository, the gate says for each request.
  const told = denials(sound).filter((pattern) => isScopePattern(pattern) && !ticket.scope.deny.includes(pattern));
  return { allow, deny: [...ticket.scope.deny, ...told.slice(0, Math.max(0, room))] };
}

type Denied = (sound: NonNullable<HeldLaw["sound"]>) => readonly string[];

/** Of a scope; whatever does not fit is judged by the law itself, after each turn and at each landing. */
const PATTERNS_MAX = 256;

const isScopePattern = (pattern: string): boolean =>
  !/^[~/]/.test(pattern) && !isRefusal(parseScope({ allow: [], deny: [pattern] }));

/** Null: nothing that both may change. */
export function commonPath(one: Scope | null, other: Scope | null): string | null {
  const all = { allow: ["**"], deny: [] };
  return overlapOf(one ?? all, other ?? all);
}

import { NomosError } from "../../../contract/index.ts";
import { type Criterion, parseTicket, type Scope, type Ticket, type TicketFault } from "../../../domains/index.ts";
import type { LawConfig } from "../../../governance/index.ts";

/** What may be said of a new ticket, and changed of one. Null takes it away. */
export interface TicketFields {
  readonly title?: string | undefined;
  readonly body?: string | undefined;
  readonly type?: string | undefined;
  readonly priority?: number | undefined;
  readonly parent?: string | null | undefined;
  readonly lane?: string | null | undefined;
  readonly scope?: { readonly [K in keyof Scope]?: Scope[K] | undefined } | undefined;
  readonly fileBudget?: { readonly files?: number | undefined; readonly lines?: number | undefined } | undefined;
  readonly checks?: Ticket["checks"] | undefined;
  readonly acceptance?:
    | readonly (Pick<Criterion, "id" | "text"> & { readonly check?: readonly string[] | undefined })[]
    | undefined;
  readonly blockers?: readonly string[] | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly risk?: string | undefined;
  readonly resourceProfile?: string | undefined;
  readonly brainDump?: string | undefined;
  readonly boundary?: string | undefined;
  readonly successCondition?: string | undefined;
}

/** A new ticket. What is not said is the configuration's, or the usual. */
export function newTicket(
  given: TicketFields & Pick<Ticket, "id" | "kind">,
  createdAt: string,
  { budgets }: Pick<LawConfig, "budgets">,
): Ticket {
  return checked({ ...given, createdAt, fileBudget: { ...budgets, ...defined(given.fileBudget ?? {}) } });
}

export function changedTicket(ticket: Ticket, given: TicketFields): Ticket {
  const scope = { ...ticket.scope, ...defined(given.scope ?? {}) };
  const fileBudget = { ...ticket.fileBudget, ...defined(given.fileBudget ?? {}) };
  return checked({ ...ticket, ...defined(given), scope, fileBudget });
}

function checked(given: object): Ticket {
  const ticket = parseTicket(given);
  if ("faults" in ticket) throw faultsError(ticket.faults);
  return ticket;
}

/** Like a request that the schema refuses: these are faults of what was asked, not of a file. */
function faultsError(faults: readonly TicketFault[]): NomosError {
  const issues = faults.slice(0, 10).map(({ field, message }) => ({ field, message: `it ${message}` }));
  const [first] = faults;
  const message = first === undefined ? {} : { message: `\`${first.field}\` ${first.message}.`, remedy: first.remedy };
  return new NomosError("invalid_request", { issues }, message);
}

function defined<T extends object>(given: T): Partial<T> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<T>;
}

import { realpath } from "node:fs/promises";
import { NomosError } from "../../../contract/index.ts";
import type { TicketStatus } from "../../../domains/index.ts";
import type {
  Governed,
  HeldLease,
  LawConfig,
  SharedPlace,
  TicketFile,
  TicketFiles,
} from "../../../governance/index.ts";
import { lawConfig } from "../law-config.ts";
import type { TicketDeps } from "./ticket-deps.ts";
import { parseStatus, type StatusDocument, statusNow } from "./ticket-status.ts";

/** All tickets of a repository at one moment. */
export interface TicketBook {
  readonly governed: Governed;
  readonly place: SharedPlace;
  readonly config: LawConfig;
  readonly files: TicketFiles;
  readonly statuses: ReadonlyMap<string, StatusDocument>;
  /** The last lease of each ticket, live or not. */
  readonly leases: ReadonlyMap<string, HeldLease>;
  readonly nowMs: number;
}

/** A ticket with what is known beside its file. */
export interface TicketNow extends TicketFile {
  readonly status: TicketStatus;
  /** Null: it never had another one. */
  readonly since: string | null;
  readonly by: string | null;
  readonly lease: HeldLease | null;
}

export interface TicketBooks {
  readonly at: (cwd: string) => Promise<TicketBook>;
  readonly of: (governed: Governed) => Promise<TicketBook>;
  /** As `governed` was before; with the tickets that its branch has now. */
  readonly again: (governed: Governed) => Promise<TicketBook>;
}

export function createTicketBooks(deps: TicketDeps): TicketBooks {
  const { reader, documents, leases, clock } = deps;
  const configs = new Map<string, { readonly tip: string; readonly config: LawConfig }>();
  const configOf = async (governed: Governed): Promise<LawConfig> => {
    const known = configs.get(governed.repoKey);
    if (known?.tip === governed.tip) return known.config;
    const config = await lawConfig(governed);
    configs.set(governed.repoKey, { tip: governed.tip, config });
    return config;
  };
  const open = async (cwd: string): Promise<Governed> => {
    const path = await realpath(cwd).catch(() => null);
    if (path === null) throw new NomosError("cwd_missing", { cwd });
    const governed = await deps.open(path);
    if (governed === null) throw await deps.explain(path);
    return governed;
  };
  const of = async (governed: Governed): Promise<TicketBook> => {
    const config = await configOf(governed);
    const place: SharedPlace = { repository: governed.repository, remote: config.leases.remote };
    const [files, statuses, held] = await Promise.all([
      reader.read(governed),
      documents.list(place, "status"),
      leases.list(governed),
    ]);
    const known = statuses.flatMap(({ id, text }) => {
      const status = parseStatus(text);
      return status === null ? [] : [[id, status] as const];
    });
    const byTicket = new Map(held.map((lease) => [lease.ticketId, lease]));
    return { governed, place, config, files, statuses: new Map(known), leases: byTicket, nowMs: clock.nowMs() };
  };
  return {
    at: async (cwd) => of(await open(cwd)),
    of,
    again: async ({ root, commonDir }) => of(await open(root ?? commonDir)),
  };
}

/** Null when no such ticket can be read. */
export function ticketNow(book: TicketBook, id: string): TicketNow | null {
  const file = book.files.tickets.get(id);
  if (file === undefined) return null;
  const document = book.statuses.get(id) ?? null;
  const lease = book.leases.get(id) ?? null;
  const status = statusNow(document, lease, { isArchived: file.isArchived, nowMs: book.nowMs });
  return { ...file, status, since: document?.since ?? null, by: document?.by ?? null, lease };
}

export function allTickets(book: TicketBook): readonly TicketNow[] {
  return [...book.files.tickets.keys()].flatMap((id) => ticketNow(book, id) ?? []);
}

/** By its id, or the only one that begins or ends so. Tells of a file that cannot be read. */
export function findTicket(book: TicketBook, given: string): TicketNow {
  const wanted = given.trim().toUpperCase();
  const exact = ticketNow(book, wanted);
  if (exact !== null) return exact;
  refuseFaulty(book, wanted);
  const unread = book.files.faults.flatMap(({ id }) => id ?? []);
  const ids = [...book.files.tickets.keys(), ...unread].filter(
    (id) => id.startsWith(wanted) || id.endsWith(`-${wanted}`),
  );
  const [only, second] = wanted.length < SHORT_MIN ? [] : ids;
  if (only !== undefined && second === undefined) refuseFaulty(book, only);
  const found = only === undefined || second !== undefined ? null : ticketNow(book, only);
  if (found !== null) return found;
  if (second === undefined) throw new NomosError("ticket_not_found", { ticket: given.slice(0, SHOWN_CHARS) });
  const shown = ids.slice(0, SHOWN_MAX);
  throw new NomosError(
    "ambiguous_id",
    { given, candidates: shown },
    { message: `\`${given}\` can mean ${shown.join(", ")}.` },
  );
}

function refuseFaulty({ files }: TicketBook, ticket: string): void {
  const fault = files.faults.find(({ id }) => id === ticket);
  if (fault === undefined) return;
  const { path, message, remedy, faults } = fault;
  throw new NomosError(
    "ticket_invalid",
    { ticket, path, faults: faults.map((one) => ({ ...one })) },
    { message, remedy },
  );
}

const SHORT_MIN = 2;
const SHOWN_MAX = 10;
const SHOWN_CHARS = 100;

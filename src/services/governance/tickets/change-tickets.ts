import { randomInt } from "node:crypto";
import type { By } from "../../../commit/index.ts";
import { NomosError } from "../../../contract/index.ts";
import {
  changeTicketStatus,
  type HierarchyFault,
  hierarchyFaults,
  isLive,
  newTicketId,
  type Ticket,
  type TicketKind,
} from "../../../domains/index.ts";
import {
  type FileChanges,
  type FilesNow,
  type Governed,
  idInPath,
  ticketPath,
  writeTicketFile,
} from "../../../governance/index.ts";
import type { RecordedEvent } from "../../../store/index.ts";
import { PLAN_MAX, readPlan } from "./plan-text.ts";
import { recorded, type TicketChange, type TicketRecords } from "./record-tickets.ts";
import { findTicket, type TicketBook, type TicketBooks, type TicketNow, ticketNow } from "./ticket-book.ts";
import type { TicketDeps } from "./ticket-deps.ts";
import { changedTicket, newTicket, type TicketFields } from "./ticket-fields.ts";
import { changeStatus } from "./ticket-status.ts";

export interface TicketWish extends TicketFields {
  readonly kind: TicketKind;
}

export interface ChangeParts {
  readonly deps: TicketDeps;
  readonly books: TicketBooks;
  readonly records: TicketRecords;
}

/** Makes one ticket: a commit on the default branch, then its event. */
export async function createTicket(
  parts: ChangeParts,
  cwd: string,
  wish: TicketWish,
  by: By,
): Promise<readonly RecordedEvent[]> {
  const { governed, config } = await parts.books.at(cwd);
  const at = nowIn(parts);
  const ids = createIds(at);
  return write(parts, governed, by, (book) => {
    const ticket = newTicket({ ...wish, ...named(book, wish), id: ids.idFor(book, "", wish.kind) }, at, config);
    refuseMisplaced(book, ticket);
    return { message: `Add ${ticket.kind} ${ticket.id}: ${ticket.title}`, tickets: [ticket], because: "created" };
  });
}

export async function editTicket(
  parts: ChangeParts,
  cwd: string,
  given: { readonly id: string; readonly fields: TicketFields },
  by: By,
): Promise<readonly RecordedEvent[]> {
  const { governed } = await parts.books.at(cwd);
  return write(parts, governed, by, (book) => {
    const { ticket, isArchived } = findTicket(book, given.id);
    if (isArchived) throw new NomosError("ticket_closed", { ticket: ticket.id, status: "archived" });
    const changed = changedTicket(ticket, { ...given.fields, ...named(book, given.fields) });
    refuseMisplaced(book, changed);
    return { message: `Edit ${ticket.id}: ${changed.title}`, tickets: [changed], because: "changed" };
  });
}

/** Other tickets may be named in short. */
function named(book: TicketBook, { parent, blockers }: TicketFields): Pick<TicketFields, "parent" | "blockers"> {
  const idOf = (given: string): string => findTicket(book, given).ticket.id;
  return {
    ...(parent == null ? {} : { parent: idOf(parent) }),
    ...(blockers === undefined ? {} : { blockers: blockers.map(idOf) }),
  };
}

export interface PlanWish {
  readonly text: string;
  /** The intent or epic that the plan is for. */
  readonly parent?: string | undefined;
}

/** The tickets that a plan would make, with ids that nothing has yet. */
export async function planTickets(parts: ChangeParts, cwd: string, wish: PlanWish): Promise<readonly Ticket[]> {
  const at = nowIn(parts);
  return planned(await parts.books.at(cwd), wish, at, createIds(at));
}

export async function createPlanned(
  parts: ChangeParts,
  cwd: string,
  wish: PlanWish,
  by: By,
): Promise<readonly RecordedEvent[]> {
  const { governed } = await parts.books.at(cwd);
  const at = nowIn(parts);
  const ids = createIds(at);
  return write(parts, governed, by, (book) => {
    const tickets = planned(book, wish, at, ids);
    return { message: `Plan ${tickets.length} tickets`, tickets, because: "created" };
  });
}

const nowIn = ({ deps: { clock } }: ChangeParts): string => clock.iso(clock.nowMs());

function planned(book: TicketBook, { text, parent }: PlanWish, at: string, ids: Ids): readonly Ticket[] {
  if (text.length > PLAN_MAX.chars) throw new NomosError("body_too_large", { charsMax: PLAN_MAX.chars });
  const plan = readPlan(text);
  const above = parent === undefined ? null : findTicket(book, parent).ticket;
  const idOf = new Map(plan.map(({ name, kind }) => [name, ids.idFor(book, name, kind)]));
  const tickets = plan.map(({ name, kind, title, body, epic, after }) => {
    const parentId = epic === null ? (above?.id ?? null) : (idOf.get(epic) ?? null);
    const blockers = after.map((one) => idOf.get(one) ?? "");
    return newTicket({ id: idOf.get(name) ?? "", kind, title, body, parent: parentId, blockers }, at, book.config);
  });
  const faults = hierarchyFaults([...ticketsOf(book), ...tickets]);
  for (const ticket of tickets) refuseFaults(ticket, faults);
  return tickets;
}

/** Takes a ticket out of the way, into `ARCHIVE`. One that is not done needs a reason. */
export async function archiveTicket(
  parts: ChangeParts,
  cwd: string,
  { id: given, reason }: { readonly id: string; readonly reason?: string | undefined },
  by: By,
): Promise<readonly RecordedEvent[]> {
  const { deps, books, records } = parts;
  const { governed } = await books.at(cwd);
  return records.alone(governed.repoKey, async () => {
    const book = await books.again(governed);
    const found = findTicket(book, given);
    const { id } = found.ticket;
    if (found.isArchived) return [];
    refuseUnfinished(book, found, reason);
    const [from, to] = [ticketPath(id), ticketPath(id, true)];
    await deps.files.commit({
      governed: book.governed,
      changes: async ({ read }) => {
        const bytes = await read(from);
        return bytes === null
          ? new Map()
          : new Map([
              [from, null],
              [to, bytes],
            ]);
      },
      message: `Archive ${id}: ${found.ticket.title}${reason === undefined ? "" : `\n\n${reason}`}`,
      actor: by.actor,
      trailers: [`Nomos-Ticket: ${id}`],
    });
    const status = { status: "archived", since: nowIn(parts), by: by.actor } as const;
    await changeStatus(deps.documents, book.place, id, (now) => (now?.status === "archived" ? null : status));
    await records.known(book.governed, found);
    const decide: TicketChange["decide"] = (state) => changeTicketStatus(state, "archived", by.actor);
    return records.commit(book.governed, [{ id, decide }], by);
  });
}

function refuseUnfinished(book: TicketBook, { ticket, status, lease }: TicketNow, reason: string | undefined): void {
  if (lease !== null && isLive(lease, book.nowMs))
    throw new NomosError("ticket_leased", {
      ticket: ticket.id,
      owner: lease.owner,
      session: lease.sessionId,
      until: lease.until,
    });
  if (status !== "done" && reason === undefined) throw new NomosError("ticket_open", { ticket: ticket.id, status });
}

interface Written {
  readonly message: string;
  readonly tickets: readonly Ticket[];
  readonly because: "created" | "changed";
}

/** `make` sees the tickets of the tip that the commit is made on, and is asked again when that moved. */
async function write(
  { deps, books, records }: ChangeParts,
  governed: Governed,
  by: By,
  make: (book: TicketBook) => Written,
): Promise<readonly RecordedEvent[]> {
  return records.alone(governed.repoKey, async () => {
    const book = await books.again(governed);
    let wanted = make(book);
    const changes = async (now: FilesNow): Promise<FileChanges> => {
      if (now.tip !== null && now.tip !== book.governed.tip)
        wanted = make({ ...book, files: await deps.reader.read({ ...book.governed, tip: now.tip }) });
      return filesOf(wanted, now);
    };
    const [only, second] = wanted.tickets;
    const done = await deps.files.commit({
      ...{ governed: book.governed, changes, message: wanted.message, actor: by.actor },
      trailers: only === undefined || second !== undefined ? [] : [`Nomos-Ticket: ${only.id}`],
      ...(by.call == null ? {} : { call: by.call.keyHash }),
    });
    // A call that is repeated after a crash finds the tickets that it made.
    const ids = done.before?.flatMap((path) => idInPath(path) ?? []) ?? wanted.tickets.map(({ id }) => id);
    const after = await books.again(governed);
    const all = ids.flatMap((id): readonly TicketChange[] => {
      const now = ticketNow(after, id);
      return now === null ? [] : [{ id, decide: recorded(after.governed, now, wanted.because) }];
    });
    const events = await records.commit(after.governed, all, by);
    // Another daemon was faster to record what a repeated call had made.
    const isMissing = done.before !== undefined && events.length === 0;
    const known = isMissing ? await Promise.all(ids.map((id) => records.last(after.governed, id))) : [];
    return [...events, ...known.filter((one) => one !== null)];
  });
}

async function filesOf({ tickets }: Written, { read }: FilesNow): Promise<FileChanges> {
  const files = new Map<string, string>();
  for (const ticket of tickets) {
    const path = ticketPath(ticket.id);
    files.set(path, writeTicketFile(ticket, (await read(path))?.toString() ?? null));
  }
  return files;
}

const ticketsOf = ({ files }: TicketBook): readonly Ticket[] => [...files.tickets.values()].map(({ ticket }) => ticket);

/** Parent and blockers have to exist, fit, and not wait for the ticket itself. What was wrong before is left. */
function refuseMisplaced(book: TicketBook, ticket: Ticket): void {
  const all = ticketsOf(book);
  const before = all.some(({ id }) => id === ticket.id) ? hierarchyFaults(all) : [];
  const known = new Set(before.filter(({ ticketId }) => ticketId === ticket.id).map(keyOf));
  const faults = hierarchyFaults([...all.filter(({ id }) => id !== ticket.id), ticket]);
  refuseFaults(
    ticket,
    faults.filter((one) => !known.has(keyOf(one))),
  );
}

const keyOf = ({ fault, ids }: HierarchyFault): string => `${fault} ${ids.toSorted().join(" ")}`;

function refuseFaults(ticket: Ticket, faults: readonly HierarchyFault[]): void {
  for (const { ticketId, fault, ids } of faults) {
    if (ticketId !== ticket.id) continue;
    const [other = ""] = ids;
    if (fault === "parent_unknown" || fault === "blocker_unknown")
      throw new NomosError("ticket_not_found", { ticket: other, fault, of: ticketId });
    if (fault === "invalid_parent")
      throw new NomosError("invalid_parent", { ticket: ticketId, kind: ticket.kind, parent: other });
    if (fault === "parent_cycle" || fault === "blocker_cycle") throw cycle(ticketId, fault, ids);
  }
}

function cycle(id: string, fault: "parent_cycle" | "blocker_cycle", ids: readonly string[]): NomosError {
  const [field, does] = fault === "parent_cycle" ? ["parent", "lie below"] : ["blockers", "wait for"];
  const problem = `${id} would ${does} itself, by way of ${ids.join(", ")}`;
  const details = { issues: [{ field, message: problem }], ids: [...ids] };
  return new NomosError("invalid_request", details, {
    message: `\`${field}\`: ${problem}.`,
    remedy: "Name others, or take one of them away.",
  });
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const RANDOM_DIGITS = 4;
const TRIES_MAX = 1000;

/** New ids. The same name gets the same id again, unless somebody took it meanwhile. */
interface Ids {
  readonly idFor: (book: TicketBook, name: string, kind: TicketKind) => string;
}

function createIds(at: string): Ids {
  const given = new Map<string, string>();
  return {
    idFor: ({ files }, name, kind) => {
      const isFree = (id: string): boolean => !files.tickets.has(id) && !files.faults.some((one) => one.id === id);
      const known = given.get(name);
      if (known !== undefined && isFree(known)) return known;
      for (let tries = 0; tries < TRIES_MAX; tries += 1) {
        const random = Array.from({ length: RANDOM_DIGITS }, () => LETTERS[randomInt(LETTERS.length)]).join("");
        const id = newTicketId(kind, at, random);
        if (!isFree(id) || [...given.values()].includes(id)) continue;
        given.set(name, id);
        return id;
      }
      throw new NomosError("internal", { reason: "no free id was found" });
    },
  };
}

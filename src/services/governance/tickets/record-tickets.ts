import { createHash } from "node:crypto";
import { basename, dirname } from "node:path";
import { type By, subjectOf } from "../../../commit/index.ts";
import {
  briefOf,
  changeTicketStatus,
  isLive,
  recordTicket,
  recordTicketLease,
  releaseTicketLease,
  removeTicket,
  TICKETS,
  type TicketRow,
  type TicketState,
  TicketStream,
  ticketStreamId,
} from "../../../domains/index.ts";
import type { Governed, HeldLease } from "../../../governance/index.ts";
import { type Decision, streamOf } from "../../../kernel/index.ts";
import type { RecordedEvent } from "../../../store/index.ts";
import { allTickets, type TicketBook, type TicketBooks, type TicketNow } from "./ticket-book.ts";
import type { TicketDeps } from "./ticket-deps.ts";

export type TicketChange = { readonly id: string; readonly decide: (state: TicketState) => Decision };

/** What the log knows of tickets. Git is their truth: whatever changed there without us is recorded as read. */
export interface TicketRecords {
  /** Nothing else is recorded of the repository meanwhile, so that our own changes are not taken for those of others. */
  readonly alone: <T>(repoKey: string, work: () => Promise<T>) => Promise<T>;
  readonly commit: (governed: Governed, changes: readonly TicketChange[], by: By) => Promise<readonly RecordedEvent[]>;
  /** Records a ticket that the log does not know yet. */
  readonly known: (governed: Governed, ticket: Pick<TicketNow, "ticket" | "source">) => Promise<void>;
  /** The event that recorded a ticket's file last. */
  readonly last: (governed: Governed, id: string) => Promise<RecordedEvent | null>;
  /** Compares with what was seen last; what differs is recorded behind the call. */
  readonly notice: (book: TicketBook) => void;
  readonly stop: () => Promise<void>;
}

const DAEMON: By = { actor: "daemon" };
const STREAMS_AT_ONCE = 200;
const PAGE = 500;

export function createTicketRecords(deps: TicketDeps, books: () => TicketBooks): TicketRecords {
  const { store, committer, log } = deps;
  const queues = new Map<string, Promise<unknown>>();
  const seen = new Map<string, string>();
  const underWay = new Map<string, Promise<void>>();
  let isOver = false;

  const alone: TicketRecords["alone"] = (repoKey, work) => {
    const mine = (queues.get(repoKey) ?? Promise.resolve()).catch(() => undefined).then(work);
    queues.set(repoKey, mine);
    return mine.finally(() => {
      if (queues.get(repoKey) === mine) queues.delete(repoKey);
    });
  };
  const commit: TicketRecords["commit"] = async (governed, changes, by) => {
    const events: RecordedEvent[] = [];
    for (let at = 0; at < changes.length; at += STREAMS_AT_ONCE) {
      const some = changes.slice(at, at + STREAMS_AT_ONCE).map(({ id, decide }) => ({
        of: subjectOf(TicketStream, ticketStreamId(governed.repoKey, id)),
        decide,
      }));
      events.push(...(await committer.commit(some, { by })).events);
    }
    return events;
  };
  const rowsOf = async (repo: string): Promise<ReadonlyMap<string, TicketRow>> => {
    const found = new Map<string, TicketRow>();
    for (let after: { readonly id: string } | undefined; ; ) {
      const rows = await store.rows(TICKETS, {
        limit: PAGE,
        where: { repo },
        ...(after === undefined ? {} : { after }),
      });
      for (const row of rows) found.set(row.ticket.id, row);
      if (rows.length < PAGE) return found;
      after = rows.at(-1);
    }
  };
  const catchUp = (repoKey: string, governed: Governed): Promise<void> =>
    alone(repoKey, async () => {
      // What was noticed may be old by now.
      const book = await books().again(governed);
      const rows = await rowsOf(repoKey);
      if (isOver) return;
      await commit(book.governed, filesChanged(book, rows), DAEMON);
      await commit(book.governed, statusesChanged(book, rows), DAEMON);
      seen.set(repoKey, signatureOf(book));
    });
  return {
    alone,
    commit,
    known: async (governed, ticket) => {
      const { id } = ticket.ticket;
      if ((await store.row(TICKETS, ticketStreamId(governed.repoKey, id)))?.at === "present") return;
      await commit(governed, [{ id, decide: recorded(governed, ticket, "read") }], DAEMON);
    },
    last: async ({ repoKey }, id) => {
      const stream = streamOf(TicketStream, ticketStreamId(repoKey, id));
      const { events } = await store.readStream(stream, { types: ["ticket.recorded@1"], limit: PAGE });
      return events.at(-1) ?? null;
    },
    notice: (book) => {
      const { repoKey } = book.governed;
      if (isOver || underWay.has(repoKey) || seen.get(repoKey) === signatureOf(book)) return;
      const mine = catchUp(repoKey, book.governed)
        .catch((thrown: unknown) => log("tickets were not recorded", { repo: repoKey, reason: String(thrown) }))
        .finally(() => underWay.delete(repoKey));
      underWay.set(repoKey, mine);
    },
    stop: async () => {
      isOver = true;
      await Promise.all([...underWay.values(), ...[...queues.values()].map((one) => one.catch(() => undefined))]);
    },
  };
}

/** The decision that records a ticket's file. */
export function recorded(
  governed: Governed,
  { ticket, source }: Pick<TicketNow, "ticket" | "source">,
  because: "created" | "changed" | "read",
): TicketChange["decide"] {
  const repository = repositoryOf(governed);
  return (state) =>
    recordTicket(state, { ticket: briefOf(ticket), repo: governed.repoKey, repository, source, because });
}

/** The same for all worktrees of a clone. */
function repositoryOf({ commonDir }: Governed): string {
  return basename(commonDir) === ".git" ? dirname(commonDir) : commonDir;
}

export function leasedAs(lease: HeldLease): TicketChange["decide"] {
  const { fence, sessionId, owner, until } = lease;
  return (state) => recordTicketLease(state, { fence, sessionId, owner, until });
}

function filesChanged(book: TicketBook, rows: ReadonlyMap<string, TicketRow>): readonly TicketChange[] {
  const { governed, files } = book;
  const repository = repositoryOf(governed);
  const changed = allTickets(book).filter(({ ticket: { id }, source }) => {
    const row = rows.get(id);
    return row?.source !== source || row.repository !== repository;
  });
  // A file that cannot be read now is still there.
  const unread = new Set(files.faults.map(({ id }) => id));
  const gone = [...rows.keys()].filter((id) => !files.tickets.has(id) && !unread.has(id));
  return [
    ...changed.map((one) => ({ id: one.ticket.id, decide: recorded(governed, one, "read") })),
    ...gone.map((id) => ({ id, decide: removeTicket })),
  ];
}

function statusesChanged(book: TicketBook, rows: ReadonlyMap<string, TicketRow>): readonly TicketChange[] {
  return allTickets(book).flatMap(({ ticket: { id }, isArchived, lease }): readonly TicketChange[] => {
    const row = rows.get(id);
    const document = book.statuses.get(id);
    const known = document?.status ?? "todo";
    const status = isArchived ? "archived" : known === "archived" ? "todo" : known;
    const by = document?.by ?? "unknown";
    const changes: TicketChange[] = [];
    if (status !== (row?.status ?? "todo"))
      changes.push({ id, decide: (state) => changeTicketStatus(state, status, by) });
    if (lease !== null && isLive(lease, book.nowMs) && row?.lease?.fence !== lease.fence)
      changes.push({ id, decide: leasedAs(lease) });
    else if (lease !== null && lease.releasedMs !== null && row?.lease != null)
      changes.push({ id, decide: (state) => releaseTicketLease(state, lease.fence) });
    return changes;
  });
}

/** Changes whenever something could be news for the log. A heartbeat is none. */
function signatureOf({ governed, files, statuses, leases }: TicketBook): string {
  const hash = createHash("sha256").update(`${repositoryOf(governed)} ${files.tree}\n`);
  for (const [id, { status, since }] of statuses) hash.update(`${id} ${status} ${since}\n`);
  for (const [id, { fence, releasedMs }] of leases) hash.update(`${id} ${fence} ${releasedMs}\n`);
  return hash.digest("base64");
}

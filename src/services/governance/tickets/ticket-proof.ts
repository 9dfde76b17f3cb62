import type { Json } from "../../../kernel/index.ts";
import type { ChangeParts } from "./change-tickets.ts";
import { isRecorded, proofOf } from "./close-ticket.ts";
import { findTicket, type TicketBook, type TicketNow } from "./ticket-book.ts";

/** What a ticket rests on, or what it still lacks. */
export interface TicketProof {
  readonly book: TicketBook;
  readonly ticket: TicketNow;
  /** The commit that holds the evidence; null: the ticket is not closed. */
  readonly kept: string | null;
  /** Of a ticket that is not closed: what it would rest on; null while something is missing. */
  readonly evidence: { readonly [key: string]: Json } | null;
  readonly missing: readonly string[];
}

export interface ProofQuestion {
  readonly id: string;
  /** Who would close it. */
  readonly actor: string;
}

/** Changes nothing. Evidence that was taken away, cannot be read or is not what the log recorded counts as none. */
export async function ticketProof(parts: ChangeParts, cwd: string, question: ProofQuestion): Promise<TicketProof> {
  const { deps, books } = parts;
  const book = await books.at(cwd);
  const ticket = findTicket(book, question.id);
  const document =
    ticket.status === "done" ? await deps.documents.read(book.place, "evidence", ticket.ticket.id) : null;
  const { id } = ticket.ticket;
  const kept = document === null ? null : objectIn(document.text);
  const isKnown = document !== null && kept !== null && (await isRecorded(parts, book, id, document.oid));
  if (isKnown) return { book, ticket, kept: document.oid, evidence: kept, missing: [] };
  const { evidence, missing } = await proofOf(parts, book, ticket, { id }, question);
  const stands = kept === null ? null : (document?.oid ?? null);
  const unknown = stands === null || missing.length === 0 ? [] : [`a record in this log of the evidence ${stands}`];
  return { book, ticket, kept: stands, evidence, missing: [...missing, ...unknown] };
}

function objectIn(text: string): TicketProof["evidence"] {
  try {
    const read: Json = JSON.parse(text);
    return isObject(read) ? read : null;
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return null;
    throw thrown;
  }
}

function isObject(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

import * as z from "zod";
import { NomosError } from "../../../contract/index.ts";
import { isLive, type Lease, TICKET_STATUSES, type TicketStatus } from "../../../domains/index.ts";
import type { RefDocument, RefDocuments, SharedPlace } from "../../../governance/index.ts";

/** The text under `refs/nomos/status/<ID>`. */
export interface StatusDocument {
  readonly status: TicketStatus;
  readonly since: string;
  readonly by: string;
}

const Status = z.object({
  status: z.enum(TICKET_STATUSES),
  since: z.string().max(64),
  by: z.string().max(200),
});

/** Null for a text that is none of ours: then nothing is known. */
export function parseStatus(text: string): StatusDocument | null {
  try {
    return Status.safeParse(JSON.parse(text)).data ?? null;
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return null;
    throw thrown;
  }
}

/** What people see. Work whose lease has ended is nobody's work: somebody else may take it. */
export function statusNow(
  document: StatusDocument | null,
  lease: Lease | null,
  { isArchived, nowMs }: { readonly isArchived: boolean; readonly nowMs: number },
): TicketStatus {
  if (isArchived) return "archived";
  const status = document?.status ?? "todo";
  // Where people put an archived file back, they want it done.
  if (!["todo", "active", "archived"].includes(status)) return status;
  return lease !== null && isLive(lease, nowMs) ? "active" : "todo";
}

const TRIES_MAX = 8;

/**
 * Writes a status unless it is so already. `decide` sees the status that is there, also after somebody else was faster; it
 * answers null for no change, and throws to refuse.
 */
export async function changeStatus(
  documents: RefDocuments,
  place: SharedPlace,
  id: string,
  decide: (now: StatusDocument | null) => StatusDocument | null,
): Promise<StatusDocument | null> {
  let seen: RefDocument | null = await documents.read(place, "status", id);
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const wanted = decide(seen === null ? null : parseStatus(seen.text));
    if (wanted === null) return null;
    const text = `${JSON.stringify(wanted)}\n`;
    const swapped = await documents.swap(place, "status", id, { from: seen?.oid ?? null, text });
    if (swapped.swapped) return wanted;
    seen = swapped.now;
  }
  throw new NomosError("ref_conflict", { ticket: id });
}

import { NomosError } from "../../../contract/index.ts";
import { TICKET_STATUSES, type TicketStatus } from "../../../domains/index.ts";
import type { Refs, SharedPlace, TicketReader } from "../../../governance/index.ts";
import type { Clock } from "../../../host/index.ts";
import { memberOf } from "../../../kernel/index.ts";
import type { Store } from "../../../store/index.ts";
import type { HeldLaw } from "../laws/held-law.ts";
import type { WorkTickets } from "./work-deps.ts";

export interface WorkTicketsDeps {
  readonly store: Store;
  readonly reader: TicketReader;
  readonly refs: Pick<Refs, "documents">;
  readonly clock: Clock;
}

export function createWorkTickets({ reader, refs, clock }: WorkTicketsDeps): WorkTickets {
  const placeOf = ({ governed, sound }: HeldLaw): SharedPlace => ({
    repository: governed.repository,
    remote: sound?.config.leases.remote ?? null,
  });
  const statusOf: WorkTickets["statusOf"] = async (law, ticketId) => {
    const document = await refs.documents.read(placeOf(law), "status", ticketId);
    return document === null ? "todo" : (statusIn(document.text) ?? "todo");
  };
  return {
    statusOf,
    read: async (law, ticketId) => {
      const { tickets } = await reader.read(law.governed);
      const found = tickets.get(ticketId);
      if (found === undefined) throw new NomosError("ticket_not_found", { ticket: ticketId });
      return found.ticket;
    },
    setStatus: async (law, ticketId, status, by) => {
      const place = placeOf(law);
      const document = await refs.documents.read(place, "status", ticketId);
      if ((document === null ? "todo" : statusIn(document.text)) === status) return;
      const text = `${JSON.stringify({ status, since: clock.iso(clock.nowMs()), by: by.actor })}\n`;
      await refs.documents.swap(place, "status", ticketId, { from: document?.oid ?? null, text });
    },
    close: async () => undefined,
    missing: async () => ["a landing of its work"],
  };
}

function statusIn(text: string): TicketStatus | null {
  try {
    const status = memberOf(JSON.parse(text), "status");
    return TICKET_STATUSES.find((one) => one === status) ?? null;
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return null;
    throw thrown;
  }
}

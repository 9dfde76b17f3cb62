import { hostname, tmpdir } from "node:os";
import { isLive } from "../../domains/index.ts";
import { type RepositoryGit, systemClock } from "../../host/index.ts";
import type { TicketStanding } from "../law/check-path.ts";
import { createLeases } from "../leases/leases.ts";
import { createRefs } from "../refs/refs.ts";
import type { Governed } from "../repository/open-governed.ts";
import { createTicketReader } from "../tickets/read-tickets.ts";

export interface StandingOptions {
  readonly git: RepositoryGit;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** What a ticket gives, by its file and its lease as this clone knows it. No remote is asked. */
export function createTicketStanding({ git, environment }: StandingOptions) {
  const clock = systemClock();
  const reader = createTicketReader(git, tmpdir());
  const refs = createRefs({ git, clock, environment });
  const leases = createLeases({ refs, clock, host: hostname(), remoteOf: async () => null });
  return async (governed: Governed, ticketId: string): Promise<TicketStanding> => {
    const { tickets, faults } = await reader.read(governed);
    const found = tickets.get(ticketId);
    const lease = found === undefined ? null : await leases.holder(governed, ticketId);
    const reasons = faults.filter(({ id }) => id === ticketId).map(({ message }) => message.replace(/\.$/, ""));
    const absent = found === undefined && reasons.length === 0 ? [`there is no ticket ${ticketId.slice(0, 64)}`] : [];
    const scope = found?.ticket.scope ?? { allow: [], deny: [] };
    return {
      scope: { ...scope, allow: scope.allow.length === 0 ? ["**"] : scope.allow },
      faults: [...reasons, ...absent, ...(found?.isArchived === true ? ["it is archived"] : [])],
      hasLease: lease !== null && isLive(lease, clock.nowMs()),
    };
  };
}

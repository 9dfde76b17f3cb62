import { type HierarchyFault, hierarchyFaults } from "../../../domains/index.ts";
import type { TicketBook } from "./ticket-book.ts";

/** Something that is wrong with a ticket's place, or with its file. */
export interface TicketProblem {
  readonly ticket: string | null;
  readonly path: string | null;
  readonly fault: HierarchyFault["fault"] | "file";
  readonly message: string;
  readonly remedy: string;
}

const SAYS: {
  readonly [Fault in HierarchyFault["fault"]]: (ids: string) => readonly [message: string, remedy: string];
} = {
  parent_unknown: (ids) => [
    `its parent ${ids} does not exist`,
    "Name another with `nomos ticket edit <ticket> --parent <ticket>`.",
  ],
  invalid_parent: (ids) => [
    `${ids} cannot be its parent`,
    "Put a task below an epic or intent, and an epic below an intent.",
  ],
  parent_cycle: (ids) => [`it lies below itself: ${ids}`, "Give one of them another parent."],
  orphan: () => ["no intent is above it", "Put it below one: `nomos ticket edit <ticket> --parent <ticket>`."],
  blocker_unknown: (ids) => [`it waits for ${ids}, which does not exist`, "Name others with `--blockers`."],
  blocker_cycle: (ids) => [`it waits for itself: ${ids}`, "Take one of these blockers away."],
  intent_unexplained: () => [
    "it is an intent without a brain dump",
    "Say what is meant: `nomos ticket edit <ticket> --brain-dump <text>`.",
  ],
};

/** All that is wrong with the tickets of a repository. */
export function ticketProblems({ files }: TicketBook): readonly TicketProblem[] {
  const tickets = [...files.tickets.values()];
  const open = new Set(tickets.filter(({ isArchived }) => !isArchived).map(({ ticket }) => ticket.id));
  const faults = hierarchyFaults(tickets.map(({ ticket }) => ticket));
  return [
    ...files.faults.map(({ id, path, message, remedy }) => ({
      ticket: id,
      path,
      fault: "file" as const,
      message,
      remedy,
    })),
    ...faults
      .filter(({ ticketId }) => open.has(ticketId))
      .map(({ ticketId, fault, ids }) => {
        const [words, remedy] = SAYS[fault](ids.join(", "));
        const path = files.tickets.get(ticketId)?.path ?? null;
        return { ticket: ticketId, path, fault, message: `${ticketId}: ${words}.`, remedy };
      }),
  ];
}

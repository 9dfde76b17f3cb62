import { type Refusal, refuse } from "../../kernel/index.ts";
import type { Ticket, TicketKind } from "./ticket.ts";

type Placed = Pick<Ticket, "id" | "kind" | "parent" | "blockers">;

/** What is wrong with where a ticket stands. `ids`: the others that it concerns. */
export interface HierarchyFault {
  readonly ticketId: string;
  readonly fault:
    | ("parent_unknown" | "invalid_parent" | "parent_cycle" | "orphan")
    | ("blocker_unknown" | "blocker_cycle" | "intent_unexplained");
  readonly ids: readonly string[];
}

const PARENTS: { readonly [Kind in TicketKind]: readonly TicketKind[] } = {
  intent: [],
  epic: ["intent"],
  task: ["epic", "intent"],
};

const LISTED_MAX = 20;

/** An intent has epics and tasks, an epic has tasks. Null: the parent may have it. */
export function refuseParent(kind: TicketKind, parent: Pick<Ticket, "id" | "kind">): Refusal | null {
  if (PARENTS[kind].includes(parent.kind)) return null;
  return refuse("invalid_parent", { kind, parent: parent.id, parentKind: parent.kind, may: PARENTS[kind] });
}

/** All faults of a repository's tickets. Linear, also with cycles. */
export function hierarchyFaults(
  tickets: readonly (Placed & Partial<Pick<Ticket, "brainDump">>)[],
): readonly HierarchyFault[] {
  const byId = new Map(tickets.map((ticket) => [ticket.id, ticket]));
  const parentOf = (id: string) => [byId.get(id)?.parent].filter((one) => one !== null && one !== undefined);
  const inParentCycle = cycles(tickets, parentOf);
  const inBlockerCycle = cycles(tickets, (id) => byId.get(id)?.blockers ?? []);
  const roots = new Map<string, boolean>();
  return tickets.flatMap((ticket) => {
    const { id: ticketId, kind, parent, blockers } = ticket;
    const above = parent === null ? null : byId.get(parent);
    const cycle = inParentCycle.get(ticketId);
    const waiting = inBlockerCycle.get(ticketId);
    const unknown = blockers.filter((id) => !byId.has(id));
    const found: (HierarchyFault | null)[] = [
      above === undefined ? { ticketId, fault: "parent_unknown", ids: [parent ?? ""] } : null,
      above && refuseParent(kind, above) !== null ? { ticketId, fault: "invalid_parent", ids: [above.id] } : null,
      cycle === undefined ? null : { ticketId, fault: "parent_cycle", ids: cycle },
      hasIntent(ticket, byId, roots) ? null : { ticketId, fault: "orphan", ids: [] },
      unknown.length > 0 ? { ticketId, fault: "blocker_unknown", ids: unknown } : null,
      waiting === undefined ? null : { ticketId, fault: "blocker_cycle", ids: waiting },
      kind === "intent" && ticket.brainDump?.trim() === "" ? { ticketId, fault: "intent_unexplained", ids: [] } : null,
    ];
    return found.filter((one) => one !== null);
  });
}

/** The intent above a ticket; null for an orphan. */
export function intentOf(ticketId: string, byId: ReadonlyMap<string, Placed>): string | null {
  const seen = new Set<string>();
  for (let at = byId.get(ticketId); at !== undefined && !seen.has(at.id); at = byId.get(at.parent ?? "")) {
    if (at.kind === "intent") return at.id;
    seen.add(at.id);
  }
  return null;
}

/** Whether an intent is above; each ticket on the way is looked at once. */
function hasIntent(ticket: Placed, byId: ReadonlyMap<string, Placed>, known: Map<string, boolean>): boolean {
  const way = new Set<string>();
  let at: Placed | undefined = ticket;
  while (at !== undefined && at.kind !== "intent" && !known.has(at.id) && !way.has(at.id)) {
    way.add(at.id);
    at = byId.get(at.parent ?? "");
  }
  const isFound = at !== undefined && (at.kind === "intent" || known.get(at.id) === true);
  for (const id of way) known.set(id, isFound);
  return isFound;
}

/** The tickets that lie on a cycle, each with those of its cycle (the first ones). Tarjan's algorithm, without recursion. */
function cycles(
  tickets: readonly Placed[],
  nextOf: (id: string) => readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const lowest = (id: string, than: number) => low.set(id, Math.min(low.get(id) ?? than, than));
  const known = new Set(tickets.map(({ id }) => id));
  const enter = (id: string) => {
    index.set(id, index.size);
    low.set(id, index.get(id) ?? 0);
    open.push(id);
    isOpen.add(id);
    return { id, left: nextOf(id).filter((next) => known.has(next)) };
  };
  const leave = (id: string) => {
    if (low.get(id) !== index.get(id)) return;
    const part = open.splice(open.lastIndexOf(id));
    for (const one of part) isOpen.delete(one);
    if (part.length > 1 || nextOf(id).includes(id)) for (const one of part) found.set(one, part.slice(0, LISTED_MAX));
  };
  for (const { id: start } of tickets) {
    if (index.has(start)) continue;
    const way = [{ ...enter(start), at: 0 }];
    for (let top = way.at(-1); top !== undefined; top = way.at(-1)) {
      const next = top.left[top.at];
      top.at += 1;
      if (next === undefined) {
        way.pop();
        leave(top.id);
        const above = way.at(-1);
        if (above !== undefined) lowest(above.id, low.get(top.id) ?? 0);
      } else if (!index.has(next)) way.push({ ...enter(next), at: 0 });
      else if (isOpen.has(next)) lowest(top.id, index.get(next) ?? 0);
    }
  }
  return found;
}

import type { Lane, Ticket } from "./ticket.ts";

type Status = Ticket["status"];

export interface BoardLane {
  /** Null: tickets that no lane limits. */
  readonly lane: Lane | null;
  readonly columns: readonly { readonly status: Status; readonly tickets: readonly Ticket[] }[];
}

const COLUMNS: readonly Status[] = ["todo", "active", "paused", "review", "done"];

/** Lanes in the order of the configuration, those that it does not know behind them. Statuses without tickets are left out. */
export function boardLanes(tickets: readonly Ticket[], lanes: readonly Lane[]): readonly BoardLane[] {
  const byLane = Map.groupBy(tickets, (ticket) => laneOf(ticket, lanes));
  const known = lanes.map(({ name }) => name);
  const others = [...byLane.keys()].filter((name) => name !== null && !known.includes(name));
  const all: readonly (Lane | null)[] = [
    ...lanes,
    ...others.map((name) => ({ name: name ?? "", types: [], active: 0, count: null })),
    null,
  ];
  return all.flatMap((lane) => {
    const own = byLane.get(lane?.name ?? null) ?? [];
    return own.length === 0 ? [] : [{ lane, columns: columnsOf(own) }];
  });
}

/** As the dispatch counts it: the lane that a ticket names, or else the first one that takes its type. */
function laneOf({ lane, type, kind }: Ticket, lanes: readonly Lane[]): string | null {
  if (lane !== undefined) return lane;
  if (kind !== "task") return null;
  return lanes.find(({ types }) => types.includes(type) || types.includes("*"))?.name ?? null;
}

function columnsOf(tickets: readonly Ticket[]): BoardLane["columns"] {
  return COLUMNS.flatMap((status) => {
    const own = tickets.filter((ticket) => ticket.status === status).toSorted(byRank);
    return own.length === 0 ? [] : [{ status, tickets: own }];
  });
}

/** As the dispatch would take them. */
function byRank(one: Ticket, other: Ticket): number {
  const score = (other.waits?.score ?? 0) - (one.waits?.score ?? 0);
  return score || one.priority - other.priority || (one.id < other.id ? -1 : 1);
}

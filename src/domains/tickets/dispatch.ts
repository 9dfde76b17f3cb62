import type { Ticket, TicketStatus } from "./ticket.ts";

/** A row of work: tickets of these types, and at most so many active at once. `*`: any type. */
export interface Lane {
  readonly name: string;
  readonly types: readonly string[];
  readonly count: number;
}

/** A ticket as the dispatch sees it. */
export type Dispatchable = Pick<Ticket, "id" | "kind" | "type" | "priority" | "lane" | "blockers" | "createdAt"> & {
  readonly status: TicketStatus;
  /** Somebody holds a lease that has not run out. */
  readonly isLeased: boolean;
};

export interface DispatchRules {
  readonly lanes: readonly Lane[];
  /** How many tickets may be active at once; null: any number. */
  readonly ticketsAtOnceMax: number | null;
  readonly nowMs: number;
}

/** Why a ticket is not next. `blocked`: a blocker is open or unknown. */
export type HeldBack = "global_limit" | "lane_full" | "blocked" | "leased";

export interface Candidacy {
  readonly id: string;
  readonly score: number;
  readonly lane: string | null;
  /** Null: it could be next. */
  readonly heldBack: HeldBack | null;
}

export interface Dispatch {
  readonly next: Candidacy | null;
  /** Why nothing is next. */
  readonly because: "none_open" | "global_limit" | "lanes_full" | "all_blocked" | "all_leased" | null;
  /** All open tasks, the best first. */
  readonly ranked: readonly Candidacy[];
  readonly lanes: readonly (Lane & { readonly active: number })[];
}

const DISPATCH_WEIGHTS = { priority: 100, unblock: 30, hour: 0.1 } as const;

/** Urgent first; then those that free others; waiting counts a little. */
export function dispatchScore(of: { readonly priority: number; readonly unblocks: number; readonly ageHours: number }) {
  const priority = Math.min(Math.max(of.priority, 1), 5);
  const { priority: byPriority, unblock, hour } = DISPATCH_WEIGHTS;
  return (6 - priority) * byPriority + of.unblocks * unblock + of.ageHours * hour;
}

/** The ticket to work on next. Intents and epics are never worked on themselves. */
export function dispatchTickets(tickets: readonly Dispatchable[], rules: DispatchRules): Dispatch {
  const byId = new Map(tickets.map((ticket) => [ticket.id, ticket]));
  const active = tickets.filter(({ kind, status, isLeased }) => kind === "task" && (status === "active" || isLeased));
  const lanes = rules.lanes.map((lane) => ({ ...lane, active: 0 }));
  for (const ticket of active) {
    const lane = laneOf(ticket, lanes);
    if (lane !== null) lane.active += 1;
  }
  const isFull = rules.ticketsAtOnceMax !== null && active.length >= rules.ticketsAtOnceMax;
  const unblocks = countUnblocks(tickets);
  const ranked = tickets
    .filter(({ kind, status }) => kind === "task" && status === "todo")
    .map((ticket) => measured(ticket, unblocks.get(ticket.id) ?? 0, rules.nowMs))
    .toSorted(byRank)
    .map(({ ticket, score }): Candidacy => {
      const lane = laneOf(ticket, lanes);
      const isLaneFull = lane !== null && lane.active >= lane.count;
      const heldBack = whyHeldBack(ticket, byId) ?? (isFull ? "global_limit" : isLaneFull ? "lane_full" : null);
      return { id: ticket.id, score, lane: lane?.name ?? null, heldBack };
    });
  const next = ranked.find(({ heldBack }) => heldBack === null) ?? null;
  return { next, because: next === null ? becauseOf(ranked, isFull) : null, ranked, lanes };
}

function whyHeldBack(ticket: Dispatchable, byId: ReadonlyMap<string, Dispatchable>): HeldBack | null {
  if (ticket.isLeased) return "leased";
  const isFree = ticket.blockers.every((id) => isOver(byId.get(id)?.status));
  return isFree ? null : "blocked";
}

const isOver = (status: TicketStatus | undefined): boolean => status === "done" || status === "archived";

function becauseOf(ranked: readonly Candidacy[], isFull: boolean): Dispatch["because"] {
  if (ranked.length === 0) return "none_open";
  if (isFull) return "global_limit";
  if (ranked.some(({ heldBack }) => heldBack === "lane_full")) return "lanes_full";
  return ranked.every(({ heldBack }) => heldBack === "leased") ? "all_leased" : "all_blocked";
}

/** The lane that a ticket names, or else the first one that takes its type. Null: no lane limits it. */
function laneOf<L extends Lane>({ lane, type }: Pick<Ticket, "lane" | "type">, lanes: readonly L[]): L | null {
  const named = lane === null ? undefined : lanes.find(({ name }) => name === lane);
  return named ?? lanes.find(({ types }) => types.includes(type) || types.includes("*")) ?? null;
}

/** How many open tickets wait for each one. */
function countUnblocks(tickets: readonly Dispatchable[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { status, blockers } of tickets)
    if (!isOver(status)) for (const id of new Set(blockers)) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

interface Measured {
  readonly ticket: Dispatchable;
  readonly unblocks: number;
  readonly ageHours: number;
  readonly score: number;
}

function measured(ticket: Dispatchable, unblocks: number, nowMs: number): Measured {
  const bornMs = Date.parse(ticket.createdAt ?? "");
  // A clock that was wrong makes no ticket wait longer.
  const ageHours = Number.isNaN(bornMs) ? 0 : Math.max(0, (nowMs - bornMs) / HOUR_MS);
  const { priority } = ticket;
  return { ticket, unblocks, ageHours, score: dispatchScore({ priority, unblocks, ageHours }) };
}

const HOUR_MS = 3_600_000;

function byRank(one: Measured, other: Measured): number {
  return (
    other.score - one.score ||
    one.ticket.priority - other.ticket.priority ||
    other.unblocks - one.unblocks ||
    other.ageHours - one.ageHours ||
    (one.ticket.id < other.ticket.id ? -1 : 1)
  );
}

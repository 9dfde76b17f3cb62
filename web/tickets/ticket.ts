import type { OutputOf } from "../../src/client/index.ts";

type Listed = OutputOf<"ticket.list">["tickets"][number];
export type Dispatch = OutputOf<"ticket.next">;
export type Opened = OutputOf<"ticket.show">;
export type Lane = Pick<Dispatch["lanes"][number], "name" | "types"> & {
  readonly active: number;
  /** Null: the configuration does not know it. */
  readonly count: number | null;
};

/** A ticket as the board shows it. */
export interface Ticket extends Listed {
  /** Of an open task: why it is next, or why not. */
  readonly waits: Dispatch["waiting"][number] | null;
}

/** What the dispatch says stands beside what the file says. */
export function withDispatch(tickets: readonly Listed[], dispatch: Dispatch | undefined): readonly Ticket[] {
  const waiting = new Map((dispatch?.waiting ?? []).map((one) => [one.id, one]));
  return tickets.map((ticket) => ({ ...ticket, waits: waiting.get(ticket.id) ?? null }));
}

import { overlapOf, type Scope } from "../../../domains/index.ts";
import { canonicalJson } from "../../../kernel/index.ts";
import { allTickets, type TicketBook, type TicketNow } from "./ticket-book.ts";

/** Two open tasks that may change the same file. */
export interface Overlap {
  readonly a: TicketNow;
  readonly b: TicketNow;
  /** A path that both may change. */
  readonly path: string;
}

export interface OverlapMap {
  readonly overlaps: readonly Overlap[];
  /** Open tasks that were compared. */
  readonly tickets: number;
  /** False: there are more pairs than are told or were compared. */
  readonly isWhole: boolean;
}

const SHOWN_MAX = 500;
/** Different pairs of scopes: the same scopes are compared once. */
const COMPARED_MAX = 50_000;

const isOpen = ({ ticket, status }: TicketNow): boolean =>
  ticket.kind === "task" && status !== "done" && status !== "archived";

export function overlapMap(book: TicketBook): OverlapMap {
  const compare = createCompare();
  const open = allTickets(book).filter(isOpen);
  const overlaps: Overlap[] = [];
  let isWhole = true;
  for (const [at, a] of open.entries())
    for (const b of open.slice(at + 1)) {
      if (overlaps.length >= SHOWN_MAX || compare.count() >= COMPARED_MAX) {
        isWhole = false;
        break;
      }
      const path = compare.of(a.ticket.scope, b.ticket.scope);
      if (path !== null) overlaps.push({ a, b, path });
    }
  return { overlaps, tickets: open.length, isWhole };
}

/** Other open tasks that one ticket meets. */
export function overlapsWith(
  book: TicketBook,
  { ticket }: TicketNow,
): readonly { readonly other: TicketNow; readonly path: string }[] {
  const compare = createCompare();
  const found: { readonly other: TicketNow; readonly path: string }[] = [];
  for (const other of allTickets(book).filter(isOpen)) {
    if (other.ticket.id === ticket.id) continue;
    if (found.length >= SHOWN_MAX || compare.count() >= COMPARED_MAX) break;
    const path = compare.of(ticket.scope, other.ticket.scope);
    if (path !== null) found.push({ other, path });
  }
  return found;
}

function createCompare() {
  const known = new Map<string, string | null>();
  const names = new Map<Scope, string>();
  const nameOf = (scope: Scope): string => {
    const name = names.get(scope) ?? canonicalJson({ allow: [...scope.allow], deny: [...scope.deny] });
    names.set(scope, name);
    return name;
  };
  return {
    count: () => known.size,
    of: (one: Scope, other: Scope): string | null => {
      const name = [nameOf(one), nameOf(other)].toSorted().join("\n");
      const found = known.get(name);
      if (found !== undefined) return found;
      const path = overlapOf(one, other);
      known.set(name, path);
      return path;
    },
  };
}

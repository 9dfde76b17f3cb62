import { setImmediate } from "node:timers/promises";
import { overlapOf, type Scope } from "../../../domains/index.ts";
import type { Clock } from "../../../host/index.ts";
import { canonicalJson } from "../../../kernel/index.ts";
import { allTickets, type TicketBook, type TicketNow } from "./ticket-book.ts";

/** Two open tasks that may change the same file. */
export interface Overlap {
  readonly a: TicketNow;
  readonly b: TicketNow;
  /** A path that both may change; `**` where that could not be decided. */
  readonly path: string;
}

export interface OverlapMap {
  readonly overlaps: readonly Overlap[];
  /** Open tasks that were compared. */
  readonly tickets: number;
  /** False: there are more pairs than are told or were compared. */
  readonly isWhole: boolean;
}

type Steady = Pick<Clock, "steadyMs">;

const SHOWN_MAX = 500;
/** For all comparisons of one call. */
const EFFORT_MAX_MS = 3000;
/** Others are served after so long. */
const SLICE_MS = 15;

const isOpen = ({ ticket, status }: TicketNow): boolean =>
  ticket.kind === "task" && status !== "done" && status !== "archived";

export async function overlapMap(book: TicketBook, clock: Steady): Promise<OverlapMap> {
  const open = allTickets(book).filter(isOpen);
  const pairs = function* (): Generator<readonly [TicketNow, TicketNow]> {
    for (const [at, a] of open.entries())
      for (let next = at + 1; next < open.length; next += 1) yield [a, open[next] ?? a];
  };
  return { ...(await meet(pairs(), clock)), tickets: open.length };
}

/** Other open tasks that one ticket meets. */
export async function overlapsWith(
  book: TicketBook,
  one: TicketNow,
  clock: Steady,
): Promise<readonly { readonly other: TicketNow; readonly path: string }[]> {
  const others = allTickets(book).filter((other) => isOpen(other) && other.ticket.id !== one.ticket.id);
  const { overlaps } = await meet(others.map((other) => [one, other] as const).values(), clock);
  return overlaps.map(({ b, path }) => ({ other: b, path }));
}

async function meet(
  pairs: Iterable<readonly [TicketNow, TicketNow]>,
  clock: Steady,
): Promise<Pick<OverlapMap, "overlaps" | "isWhole">> {
  const compare = createCompare();
  const overlaps: Overlap[] = [];
  let workedMs = 0;
  let sinceMs = clock.steadyMs();
  for (const [a, b] of pairs) {
    if (overlaps.length >= SHOWN_MAX || workedMs >= EFFORT_MAX_MS) return { overlaps, isWhole: false };
    const path = compare(a.ticket.scope, b.ticket.scope);
    if (path !== null) overlaps.push({ a, b, path });
    const slice = clock.steadyMs() - sinceMs;
    if (slice < SLICE_MS) continue;
    workedMs += slice;
    await setImmediate();
    sinceMs = clock.steadyMs();
  }
  return { overlaps, isWhole: true };
}

/** Most scopes lie in different folders, and many tickets have the same scope: neither is compared in full. */
function createCompare(): (one: Scope, other: Scope) => string | null {
  const known = new Map<string, string | null>();
  const facts = new Map<Scope, { readonly name: string; readonly folders: readonly string[] }>();
  const factsOf = (scope: Scope) => {
    const found = facts.get(scope) ?? {
      name: canonicalJson({ allow: [...scope.allow], deny: [...scope.deny] }),
      folders: scope.allow.map(folderOf),
    };
    facts.set(scope, found);
    return found;
  };
  return (one, other) => {
    const [a, b] = [factsOf(one), factsOf(other)];
    if (!a.folders.some((folder) => b.folders.some((its) => isBelow(folder, its) || isBelow(its, folder)))) return null;
    const name = a.name < b.name ? `${a.name}\n${b.name}` : `${b.name}\n${a.name}`;
    const found = known.get(name);
    if (found !== undefined) return found;
    const path = overlapOf(one, other);
    known.set(name, path);
    return path;
  };
}

/** What a pattern surely begins with, up to its first `*`; with a slash at its end. */
function folderOf(pattern: string): string {
  const parts = pattern.split("/");
  const plain = parts.findIndex((part) => part.includes("*"));
  return [...parts.slice(0, plain < 0 ? parts.length : plain), ""].join("/");
}

const isBelow = (path: string, folder: string): boolean => path.startsWith(folder);

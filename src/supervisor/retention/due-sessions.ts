import type { SessionRow } from "../../kernel/index.ts";
import type { Store } from "../../store/index.ts";
import { sessionRows } from "../life/neighbours.ts";

/** A session that ended long enough ago and that no kept session inherits from. */
export type DueSession = Pick<SessionRow, "id" | "name" | "root"> & {
  readonly endedAt: string;
  /** Its ancestors, nearest first. */
  readonly ancestors: readonly string[];
};

export interface Due {
  /** Forks come before their ancestors. */
  readonly due: readonly DueSession[];
  /** Old enough, but an ancestor of a session that lives or ended recently. */
  readonly needed: readonly { readonly id: string; readonly name: string }[];
}

type Known = Pick<SessionRow, "id" | "name" | "root" | "endedAt" | "archived" | "forkedFrom">;

const GENERATIONS_MAX = 1000;

/** Forks share history with their ancestors, so a session that is kept keeps all its ancestors. */
export async function dueSessions(store: Pick<Store, "rows">, endedBefore: string): Promise<Due> {
  const known = await everySession(store);
  const ancestorsOf = (id: string): readonly string[] => {
    const found: string[] = [];
    for (let at = known.get(id)?.forkedFrom; at != null && found.length < GENERATIONS_MAX; ) {
      found.push(at.sessionId);
      at = known.get(at.sessionId)?.forkedFrom;
    }
    return found;
  };
  const isOld = ({ endedAt, archived }: Known): boolean =>
    archived === null && endedAt !== null && endedAt <= endedBefore;
  const needed = new Set<string>();
  for (const row of known.values())
    if (row.archived === null && !isOld(row)) for (const id of ancestorsOf(row.id)) needed.add(id);
  const old = [...known.values()].filter(isOld);
  const due = old
    .filter(({ id }) => !needed.has(id))
    .map(({ id, name, root, endedAt }) => ({ id, name, root, endedAt: endedAt ?? "", ancestors: ancestorsOf(id) }))
    .toSorted((a, b) => b.ancestors.length - a.ancestors.length || (a.endedAt < b.endedAt ? -1 : 1));
  return { due, needed: old.filter(({ id }) => needed.has(id)).map(({ id, name }) => ({ id, name })) };
}

async function everySession(store: Pick<Store, "rows">): Promise<ReadonlyMap<string, Known>> {
  const known = new Map<string, Known>();
  for await (const { id, name, root, endedAt, archived, forkedFrom } of sessionRows(store))
    known.set(id, { id, name, root, endedAt, archived, forkedFrom });
  return known;
}

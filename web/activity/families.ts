import type { Row } from "../live/index.ts";

export type Relative = Row & { readonly parent: string | null };

/** Sessions with a parent, a fork or a child among them; newest families first. */
export function familiesOf(rows: readonly Row[]): readonly Relative[] {
  const known = new Set(rows.map(({ id }) => id));
  const parentOf = ({ forkedFrom, parentSessionId }: Row): string | null => {
    const parent = forkedFrom?.sessionId ?? parentSessionId;
    return parent !== undefined && known.has(parent) ? parent : null;
  };
  const parents = new Set(rows.flatMap((row) => parentOf(row) ?? []));
  return rows
    .map((row) => ({ ...row, parent: parentOf(row) }))
    .filter(({ id, parent }) => parent !== null || parents.has(id))
    .sort((one, other) => (one.startedAt < other.startedAt ? 1 : -1));
}

/** Those that spent most, by cost and then by tokens; a session whose agent told nothing is not among them. */
export function spentMost(rows: readonly Row[], count: number): readonly Row[] {
  const cost = ({ spent }: Row): number => spent?.costUsd ?? 0;
  const tokens = ({ spent }: Row): number =>
    spent === undefined ? 0 : spent.input + spent.output + spent.cacheRead + spent.cacheWrite;
  return rows
    .filter(({ spent }) => spent !== undefined)
    .sort((one, other) => cost(other) - cost(one) || tokens(other) - tokens(one))
    .slice(0, count);
}

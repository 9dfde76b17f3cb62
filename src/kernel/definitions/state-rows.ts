import type { List, RowChange } from "./list.ts";

/** The rows of the present state, and removals of earlier rows that it no longer has. */
export function stateRows<Said extends object>(
  list: List,
  stream: string,
  before: readonly Said[],
  after: readonly Said[],
  nameOf: (said: Said) => string,
): readonly RowChange[] {
  if (before.length === 0 && after.length === 0) return [];
  const known = new Map(before.map((said) => [nameOf(said), JSON.stringify(said)]));
  const left = new Set(after.map(nameOf));
  return [
    ...[...known.keys()].filter((name) => !left.has(name)).map((name) => gone(list, stream, name)),
    ...after
      .filter((said) => known.get(nameOf(said)) !== JSON.stringify(said))
      .map((said) => ({ list, id: stateRowId(stream, nameOf(said)), put: { stream, ...said } })),
  ];
}

function gone(list: List, stream: string, name: string): RowChange {
  return { list, id: stateRowId(stream, name), put: null };
}

/** The id of a state's row; a page continues after it. */
export function stateRowId(stream: string, name: string): string {
  return `${stream}#${name}`;
}

import type { Row } from "../live/index.ts";
import { type Standing, standingOf } from "../parts/index.ts";

export type GroupBy = "standing" | "workspace" | "agent" | "folder";

/** One line of the board: a heading or a session. */
export type Line =
  | { readonly is: "heading"; readonly name: string; readonly count: number }
  | { readonly is: "session"; readonly id: string };

const ORDER: readonly Standing[] = ["needs you", "working", "waiting", "idle", "asleep", "ended"];

export interface Shown {
  readonly filter: string;
  readonly standings: ReadonlySet<Standing>;
  readonly by: GroupBy;
}

/** Those that need a person first; inside a group the newest first, so that rows stay in place while they work. */
export function linesOf(rows: readonly Row[], { filter, standings, by }: Shown): readonly Line[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const found = rows.filter((row) => standings.has(standingOf(row)) && hasWords(row, words));
  const groups = Map.groupBy(found, (row) => groupOf(row, by));
  return [...groups]
    .sort(([one], [other]) => compare(one, other, by))
    .flatMap(([name, inGroup]): readonly Line[] => [
      { is: "heading", name, count: inGroup.length },
      ...inGroup
        .sort((one, other) => rank(one) - rank(other) || newestFirst(one, other))
        .map(({ id }): Line => ({ is: "session", id })),
    ]);
}

export function countsOf(rows: readonly Row[]): ReadonlyMap<Standing, number> {
  const counts = new Map<Standing, number>(ORDER.map((standing) => [standing, 0]));
  for (const row of rows) counts.set(standingOf(row), (counts.get(standingOf(row)) ?? 0) + 1);
  return counts;
}

function groupOf(row: Row, by: GroupBy): string {
  if (by === "standing") return standingOf(row);
  return by === "workspace" ? row.workspaceSlug : by === "agent" ? row.agent : row.cwd;
}

function rank(row: Row): number {
  return ORDER.indexOf(standingOf(row));
}

function newestFirst(one: Row, other: Row): number {
  const [a, b] = [`${one.startedAt} ${one.id}`, `${other.startedAt} ${other.id}`];
  return a < b ? 1 : -1;
}

function compare(one: string, other: string, by: GroupBy): number {
  if (by !== "standing") return one < other ? -1 : 1;
  const at = (name: string): number => ORDER.map(String).indexOf(name);
  return at(one) - at(other);
}

function hasWords(row: Row, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const { name, agent, title = "", cwd, label = "", state, sandbox, id, workspaceSlug, doing = "" } = row;
  const text = [name, agent, title, cwd, label, state, sandbox, id, workspaceSlug, doing].join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}

import type { Session } from "../../client/index.ts";
import type { Landing } from "../landing/open-landings.ts";
import type { AskedQuestion } from "../questions/question-facts.ts";

/** One session on the board. */
export interface BoardRow {
  readonly session: Session;
  /** Its open questions, oldest first. */
  readonly questions: readonly AskedQuestion[];
  /** The tool at work, or the last line it said. */
  readonly doing: string;
  /** Its landing, if that is on its way or refused. */
  readonly landing?: Landing | undefined;
  /** Why its work on a ticket waits for a person. */
  readonly need?: string | undefined;
}

export type Group = "needs you" | "working" | "idle" | "asleep" | "ended";

const ORDER: readonly Group[] = ["needs you", "working", "idle", "asleep", "ended"];

export function groupOf({ session, questions, landing, need }: Omit<BoardRow, "doing">): Group {
  const { state, busy, waitingFor, endedAt } = session;
  if (endedAt !== undefined) return "ended";
  if (questions.length > 0 || waitingFor !== undefined) return "needs you";
  if (landing?.waitsFor === "person" || need !== undefined) return "needs you";
  if (busy || state === "starting") return "working";
  return state === "hibernated" ? "asleep" : "idle";
}

/** Those that need a person first; inside a group the newest first, so that rows stay in place while they work. */
export function ordered(rows: readonly BoardRow[]): readonly BoardRow[] {
  const ranked = rows.map((row) => ({ row, rank: ORDER.indexOf(groupOf(row)) }));
  return ranked
    .sort((one, other) => one.rank - other.rank || compare(other.row.session.startedAt, one.row.session.startedAt))
    .map(({ row }) => row);
}

/** Every word of the filter has to be somewhere in the row. */
export function matching(rows: readonly BoardRow[], filter: string): readonly BoardRow[] {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const { name, agent, cwd, label = "", state, sandbox, id } = row.session;
    const text = [name, agent, titleOf(row.session), cwd, label, state, sandbox, id, groupOf(row)]
      .join(" ")
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export function countsOf(rows: readonly BoardRow[]): ReadonlyMap<Group, number> {
  const counts = new Map<Group, number>(ORDER.map((group) => [group, 0]));
  for (const row of rows) counts.set(groupOf(row), (counts.get(groupOf(row)) ?? 0) + 1);
  return counts;
}

export function titleOf(session: Session): string {
  return session.title ?? session.label ?? "";
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

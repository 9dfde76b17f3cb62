import type { OutputOf } from "../../client/index.ts";
import type { Terminal } from "../terminal.ts";
import { counted, spellAge } from "./spell.ts";
import { tableLines } from "./table.ts";

type Conflicts = OutputOf<"conflict.list">;
type Collided = Conflicts["conflicts"][number];
type CollidedFile = Collided["files"][number];
type LineRange = NonNullable<CollidedFile["lines"]>[number]["a"];

const PLACES_SHOWN_MAX = 3;

/** A row for each file that collides: who with whom, in which lines. A branch that moved has a row also without files. */
export function printConflicts(terminal: Terminal, output: unknown): void {
  const { conflicts, bases } = output as Conflicts;
  const rows = [
    ...conflicts.flatMap((one) => rowsOf(one.names.join(" + "), one, "")),
    ...bases.flatMap((one) => rowsOf(`${one.name} + ${one.branch}`, one, movedBy(one.behind))),
  ];
  if (rows.length === 0) {
    terminal.print("No work collides, and no branch has moved under a session.");
    return;
  }
  const names = ["BETWEEN", "FILE", "WHAT", "LINES", "SINCE"];
  const fits = [{}, { shorten: "end" } as const, {}, { drop: 2 }, { drop: 1 }];
  for (const line of tableLines(terminal, names, rows, fits)) terminal.print(line);
}

function rowsOf(between: string, { files, more, since }: Omit<Collided, "sessions" | "names">, without: string) {
  const age = spellAge(since);
  const rows = files.map(({ path, kind, lines = [] }) => [between, path, kind, placesOf(lines), age]);
  if (files.length === 0) rows.push([between, "", without, "", age]);
  if (more > 0) rows.push([between, `and ${counted(more, "further file")}`, "", "", age]);
  return rows;
}

function movedBy(behind: number | null): string {
  return behind === null ? "moved elsewhere" : counted(behind, "new commit");
}

/** Of both sides, in the order of their names. */
function placesOf(lines: NonNullable<CollidedFile["lines"]>): string {
  const shown = lines.slice(0, PLACES_SHOWN_MAX).map(({ a, b }) => `${rangeOf(a)} and ${rangeOf(b)}`);
  return [...shown, ...(lines.length > shown.length ? ["…"] : [])].join(", ");
}

function rangeOf({ from, to }: LineRange): string {
  return from === to ? String(from) : `${from}-${to}`;
}

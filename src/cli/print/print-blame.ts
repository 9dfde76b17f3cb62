import type { OutputOf } from "../../client/index.ts";
import type { Terminal } from "../terminal.ts";
import { counted } from "./spell.ts";
import { tableLines } from "./table.ts";

type Blame = OutputOf<"blame.file">;
type BlameLine = Blame["lines"][number];

const SHORT = 8;

/** A row for each line: who wrote it, and its text. What the log does not confirm has a question mark and the reason below. */
export function printBlame(terminal: Terminal, output: unknown): void {
  const { path, lines, next, binary, followsMoves, proof } = output as Blame;
  // `nomos-verify` reads it from a file.
  if (proof !== undefined) {
    terminal.printJson(proof);
    const [proven, all] = [proof.lines.length, lines.length];
    if (proven < all)
      terminal.complain(`The proof has ${proven} of ${counted(all, "line")}: no landing recorded the rest.`);
    if (next !== null) terminal.complain(`It ends before line ${next}: ask for further lines with --lines ${next},…`);
    return;
  }
  if (lines.length === 0) {
    terminal.print(binary ? `${path} is binary: it has no lines.` : `${path} has no such lines.`);
    return;
  }
  const names = ["LINE", "WHO", "TURN", "AGENT", "MODEL", "APPROVED BY", "COMMIT", "TEXT"];
  const rows = lines.map((line) => [
    String(line.line),
    whoOf(line),
    short(line.turnId),
    line.agent ?? "",
    line.model ?? "",
    line.approver ?? "",
    short(line.commit),
    // A table takes tabs and leading blanks away.
    line.text.replaceAll("\t", "  ").replace(/^ +/, (blanks) => "\u00a0".repeat(blanks.length)),
  ]);
  const shorten = { shorten: "end" } as const;
  const fits = [{}, {}, { drop: 4 }, { drop: 3 }, { drop: 2 }, { drop: 1 }, { drop: 5 }, shorten];
  for (const line of tableLines(terminal, names, rows, fits)) terminal.print(line);
  const doubts = new Set(
    lines.flatMap(({ proven, reason }) => (proven === false && reason !== undefined ? [reason] : [])),
  );
  for (const reason of doubts) terminal.print(`? not proven: ${reason}`);
  if (!followsMoves) terminal.print("Moved lines were not followed: git took too long.");
  if (next !== null) terminal.print(`more: --lines ${next},${next + lines.length - 1}`);
}

function whoOf({ by, session, sessionId, author, proven }: BlameLine): string {
  if (by === "local") return "(not committed)";
  if (by === "person") return author ?? "";
  return `${session ?? short(sessionId)}${proven === false ? " ?" : ""}`;
}

/** The end of an id: its beginning is the time. */
function short(id: string | undefined): string {
  return id === undefined ? "" : id.includes("-") ? id.slice(-SHORT) : id.slice(0, SHORT);
}

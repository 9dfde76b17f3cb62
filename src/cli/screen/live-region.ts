import { widthOf } from "../print/screen-text.ts";
import type { Terminal } from "../terminal.ts";
import type { Text } from "./styled.ts";

/** The last lines of the screen, redrawn in place; everything printed goes above them. */
export interface LiveRegion {
  readonly print: (lines: readonly Text[]) => void;
  /** Each line must fit the width. The cursor is hidden without a place. */
  readonly draw: (lines: readonly Text[], cursor: Cursor | null) => void;
  readonly bell: () => void;
  /** Removes the region; the next `draw` brings it back. */
  readonly clear: () => void;
}

export interface Cursor {
  readonly row: number;
  readonly column: number;
}

const ESC = "\u001b[";
/** A terminal that knows it shows both parts at once; others ignore it. */
const [TOGETHER, SHOWN] = [`${ESC}?2026h`, `${ESC}?2026l`];
const [HIDE, SHOW] = [`${ESC}?25l`, `${ESC}?25h`];
const BELL = "\u0007";
const ERASE_BELOW = `${ESC}J`;

export function createLiveRegion(terminal: Terminal): LiveRegion {
  const output = terminal.rawOutput;
  let widths: readonly number[] = [];
  let cursorRow = 0;
  let drawn: { readonly lines: readonly Text[]; readonly cursor: Cursor | null } | null = null;

  /** After a resize the terminal has wrapped our lines anew, so rows are counted at its width of now. */
  const erased = (): string => {
    if (drawn === null) return "";
    const above = widths.slice(0, cursorRow).reduce((sum, width) => sum + rowsOf(width, terminal.columns), 0);
    drawn = null;
    return `\r${above > 0 ? `${ESC}${above}A` : ""}${ERASE_BELOW}`;
  };
  const painted = (lines: readonly Text[], cursor: Cursor | null): string => {
    const texts = lines.map(terminal.painted);
    widths = lines.map((line) => widthOf(terminal.plain(line)));
    cursorRow = cursor?.row ?? lines.length - 1;
    drawn = { lines, cursor };
    const up = lines.length - 1 - cursorRow;
    const place = cursor === null ? HIDE : `\r${up > 0 ? `${ESC}${up}A` : ""}${right(cursor.column)}${SHOW}`;
    return texts.join("\r\n") + place;
  };
  const write = (text: string): void => {
    if (text !== "") output.write(`${TOGETHER}${text}${SHOWN}`);
  };
  return {
    print: (lines) => {
      if (lines.length === 0) return;
      const again = drawn;
      const body = lines.map((line) => `${terminal.painted(line)}\r\n`).join("");
      write(erased() + body + (again === null ? "" : painted(again.lines, again.cursor)));
    },
    draw: (lines, cursor) => write(erased() + (lines.length === 0 ? SHOW : painted(lines, cursor))),
    bell: () => void output.write(BELL),
    clear: () => write(drawn === null ? "" : erased() + SHOW),
  };
}

function right(columns: number): string {
  return columns > 0 ? `${ESC}${columns}C` : "";
}

function rowsOf(width: number, columns: number): number {
  return Math.max(1, Math.ceil(width / Math.max(1, columns)));
}

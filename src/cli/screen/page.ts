import type { Text } from "./styled.ts";

export interface Page {
  /** Draws these lines over the last ones; those that do not fit the screen are counted in the last line. */
  readonly draw: (lines: readonly Text[]) => void;
  readonly close: () => void;
}

const ENTER = "\u001b[?1049h\u001b[?25l";
const LEAVE = "\u001b[?25h\u001b[?1049l";
const HOME = "\u001b[H";
const ERASE_REST_OF_LINE = "\u001b[K";
const ERASE_BELOW = "\u001b[J";
const ROWS_UNKNOWN = 24;

/** The second screen of the terminal, as `less` and `top` use it. Lines are overwritten, never cleared first: no flicker. */
export function openPage(stdout: NodeJS.WriteStream, paint: (line: Text) => string): Page {
  // Also when the process ends otherwise: a terminal without a cursor is hard to use.
  const leave = (): void => void stdout.write(LEAVE);
  process.once("exit", leave);
  stdout.write(ENTER);
  return {
    draw: (lines) => {
      const rows = stdout.rows || ROWS_UNKNOWN;
      const shown = lines.length <= rows ? lines : [...lines.slice(0, rows - 1), `… ${lines.length - rows + 1} more`];
      // Erased before it is written: after a full line it would erase the last character. One write shows both at once.
      const drawn = shown.map((line) => ERASE_REST_OF_LINE + paint(line)).join("\r\n");
      stdout.write(HOME + drawn + ERASE_BELOW);
    },
    close: () => {
      process.off("exit", leave);
      leave();
    },
  };
}

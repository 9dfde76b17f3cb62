import type { Terminal } from "../terminal.ts";
import { harmless, inOneLine } from "./harmless.ts";
import type { Cursor } from "./live-region.ts";
import type { Text } from "./styled.ts";

/** The whole window, on a page of its own: what was there before comes back on `leave`. */
export interface FullScreen {
  /** One line per row; only rows that changed are written, all of them after `forget`. */
  readonly draw: (lines: readonly Text[], cursor: Cursor | null) => void;
  /** The window was resized, which may move what is on it. */
  readonly forget: () => void;
  readonly title: (text: string) => void;
  readonly bell: () => void;
  readonly leave: () => void;
  readonly enter: () => void;
  readonly close: () => void;
}

const ESC = "\u001b[";
const [TOGETHER, SHOWN] = [`${ESC}?2026h`, `${ESC}?2026l`];
const [HIDE, SHOW] = [`${ESC}?25l`, `${ESC}?25h`];
/** Another page, no wrapping at the margin, the window's title kept, clicks and wheel reported. */
const ENTER = `${ESC}?1049h${ESC}?7l${ESC}22;0t${ESC}?1000h${ESC}?1006h${HIDE}${ESC}2J`;
const LEAVE = `${ESC}?1006l${ESC}?1000l${ESC}23;0t${ESC}?7h${ESC}?1049l${SHOW}`;
const BELL = "\u0007";
const TITLE_CHARS_MAX = 120;

export function openFullScreen(terminal: Terminal): FullScreen {
  const output = terminal.rawOutput;
  let shown: readonly string[] = [];
  let isStale = true;
  let isIn = false;
  let titled = "";
  const leave = (): void => {
    if (!isIn) return;
    isIn = false;
    output.write(LEAVE);
  };
  const enter = (): void => {
    if (isIn) return;
    isIn = true;
    isStale = true;
    titled = "";
    output.write(ENTER);
  };
  process.on("exit", leave);
  enter();
  return {
    draw: (lines, cursor) => {
      if (!isIn) return;
      const cleared = isStale ? `${ESC}2J` : "";
      if (isStale) shown = [];
      isStale = false;
      const next = lines.map(terminal.painted);
      const changed = next.flatMap((text, row) => (text === shown[row] ? [] : [`${ESC}${row + 1};1H${ESC}K${text}`]));
      const gone = shown.length > next.length ? `${ESC}${next.length + 1};1H${ESC}J` : "";
      const place = cursor === null ? HIDE : `${ESC}${cursor.row + 1};${cursor.column + 1}H${SHOW}`;
      shown = next;
      output.write(`${TOGETHER}${HIDE}${cleared}${changed.join("")}${gone}${place}${SHOWN}`);
    },
    forget: () => {
      isStale = true;
    },
    title: (text) => {
      const clean = inOneLine(harmless(text)).slice(0, TITLE_CHARS_MAX);
      if (!isIn || clean === titled) return;
      titled = clean;
      output.write(`\u001b]0;${clean}${BELL}`);
    },
    bell: () => void output.write(BELL),
    leave,
    enter,
    close: () => {
      leave();
      process.off("exit", leave);
    },
  };
}

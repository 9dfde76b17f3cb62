import { cutTo } from "../print/screen-text.ts";
import { harmless, inOneLine } from "../screen/harmless.ts";
import { type Cursor, createLiveRegion } from "../screen/live-region.ts";
import { dim, type Text, yellow } from "../screen/styled.ts";
import type { Terminal } from "../terminal.ts";
import { FRAME_MS, type Working, workingLine } from "../transcript/status-line.ts";
import type { TranscriptOutput } from "../transcript/transcript-output.ts";
import type { Editor } from "./editor.ts";

/** The bottom of the screen while a person talks to a session: what is under way, a notice, the text being typed, and what Tab offers. */
export interface InputArea extends TranscriptOutput {
  /** Stands above the text until it is replaced or the next key. Null removes it. */
  readonly notice: (text: string | null) => void;
  /** Below the text: what Tab offers. */
  readonly offer: (lines: readonly string[]) => void;
  /** `> ` for a prompt, `? ` for an answer. */
  readonly sign: (sign: "> " | "? ") => void;
  readonly draw: () => void;
  readonly bell: () => void;
  /** Removes the area, for another program on this screen. */
  readonly hide: () => void;
}

const INPUT_ROWS_MAX = 10;
const OFFERED_ROWS_MAX = 8;

export function createInputArea(terminal: Terminal, editor: Editor): InputArea {
  const region = createLiveRegion(terminal);
  let working: Working | null = null;
  let noticed: string | null = null;
  let offered: readonly string[] = [];
  let sign = "> ";
  let frame = 0;
  let isShown = true;

  const draw = (): void => {
    if (!isShown) return;
    const columns = Math.max(8, terminal.columns - 1);
    const above: Text[] = [];
    if (working !== null) above.push(dim(workingLine(working, frame, columns)));
    if (noticed !== null) above.push(yellow(cutTo(clean(noticed), columns)));
    const { rows, cursor } = inputRows(editor, sign, columns);
    const below = offered.slice(0, OFFERED_ROWS_MAX).map((line) => dim(cutTo(`  ${clean(line)}`, columns)));
    region.draw([...above, ...rows, ...below], { row: above.length + cursor.row, column: cursor.column });
  };
  const timer = setInterval(() => {
    frame += 1;
    if (working !== null) draw();
  }, FRAME_MS);
  timer.unref();
  // Node reads the new size after the signal.
  const onResize = (): void => void setImmediate(draw);
  process.on("SIGWINCH", onResize);
  return {
    print: region.print,
    working: (next) => {
      if (next === null && working === null) return;
      working = next;
      draw();
    },
    notice: (text) => {
      if (noticed === text) return;
      noticed = text;
      draw();
    },
    offer: (lines) => {
      offered = lines;
    },
    sign: (next) => {
      sign = next;
    },
    draw: () => {
      isShown = true;
      draw();
    },
    bell: region.bell,
    hide: () => {
      isShown = false;
      region.clear();
    },
    close: () => {
      clearInterval(timer);
      process.off("SIGWINCH", onResize);
      isShown = false;
      region.clear();
    },
  };
}

function clean(text: string): string {
  return inOneLine(harmless(text));
}

/** The rows around the cursor, behind the sign. */
function inputRows(
  editor: Editor,
  sign: string,
  columns: number,
): { readonly rows: readonly string[]; readonly cursor: Cursor } {
  const { rows, cursor } = editor.layout(columns - sign.length);
  const first = Math.max(0, Math.min(cursor.row - INPUT_ROWS_MAX + 1, rows.length - INPUT_ROWS_MAX));
  const shown = rows.slice(first, first + INPUT_ROWS_MAX).map((row, at) => {
    const start = first + at === 0 ? sign : " ".repeat(sign.length);
    return `${first > 0 && at === 0 ? "↑ " : start}${row}`;
  });
  return { rows: shown, cursor: { row: cursor.row - first, column: cursor.column + sign.length } };
}

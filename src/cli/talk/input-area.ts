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
  /** The last line of the screen: what a person wants to know all the time. It is asked for the line at each drawing. */
  readonly status: (line: (columns: number) => string) => void;
  /** Something else instead of the text, such as a list to choose from. Null brings the text back. */
  readonly panel: (panel: Panel | null) => void;
  readonly draw: () => void;
  readonly bell: () => void;
  /** Removes the area, for another program on this screen. */
  readonly hide: () => void;
}

/** Draws itself into the rows that it is given. */
export interface Panel {
  readonly lines: (
    columns: number,
    rows: number,
  ) => { readonly rows: readonly Text[]; readonly cursor: { readonly row: number; readonly column: number } };
}

const INPUT_ROWS_MAX = 10;
const TOOLS_SHOWN = 3;
const OFFERED_ROWS_MAX = 8;

export function createInputArea(terminal: Terminal, editor: Editor): InputArea {
  const region = createLiveRegion(terminal);
  let working: Working | null = null;
  let tools: readonly Working[] = [];
  let noticed: string | null = null;
  let offered: readonly string[] = [];
  let sign = "> ";
  let frame = 0;
  let isShown = true;
  let status: ((columns: number) => string) | null = null;
  let panel: Panel | null = null;

  const draw = (): void => {
    if (!isShown) return;
    const columns = Math.max(8, terminal.columns - 1);
    const above: Text[] = working === null ? [] : [...workingRows(working, tools, frame, columns)];
    if (noticed !== null) above.push(yellow(cutTo(clean(noticed), columns)));
    const last = status === null ? [] : [dim(cutTo(clean(status(columns)), columns))];
    // A region that is higher than the window cannot be drawn again in place.
    const room = Math.max(1, terminal.rows - 1 - last.length);
    const { rows, cursor } = panel?.lines(columns, room) ?? inputRows(editor, sign, columns, room);
    const fitting = above.slice(Math.max(0, above.length + rows.length - room));
    const left = panel === null ? Math.min(OFFERED_ROWS_MAX, room - rows.length - fitting.length) : 0;
    const below = offered.slice(0, Math.max(0, left)).map((line) => dim(cutTo(`  ${clean(line)}`, columns)));
    const place = { row: fitting.length + cursor.row, column: cursor.column };
    region.draw([...fitting, ...rows, ...below, ...last], place);
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
    working: (next, running = []) => {
      if (next === null && working === null) return;
      working = next;
      tools = running;
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
    status: (next) => {
      status = next;
    },
    panel: (next) => {
      panel = next;
      draw();
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

/** Running tools, each on a line with its time, the last one with the end of its output; else what the agent does. */
function workingRows(working: Working, tools: readonly Working[], frame: number, columns: number): readonly Text[] {
  if (tools.length === 0) return [dim(workingLine(working, frame, columns))];
  const hidden = tools.length - TOOLS_SHOWN;
  return [
    ...(hidden > 0 ? [dim(`  … ${hidden} more at work`)] : []),
    ...tools.slice(-TOOLS_SHOWN).map((tool) => dim(workingLine(tool, frame, columns))),
    ...(tools.at(-1)?.last ?? []).map((line) => dim(cutTo(`  │ ${clean(line)}`, columns))),
  ];
}

/** The rows around the cursor, behind the sign. */
function inputRows(
  editor: Editor,
  sign: string,
  columns: number,
  rowsMax: number,
): { readonly rows: readonly string[]; readonly cursor: Cursor } {
  const { rows, cursor } = editor.layout(columns - sign.length);
  const most = Math.min(INPUT_ROWS_MAX, rowsMax);
  const first = Math.max(0, Math.min(cursor.row - most + 1, rows.length - most));
  const shown = rows.slice(first, first + most).map((row, at) => {
    const start = first + at === 0 ? sign : " ".repeat(sign.length);
    return `${first > 0 && at === 0 ? "↑ " : start}${row}`;
  });
  return { rows: shown, cursor: { row: cursor.row - first, column: cursor.column + sign.length } };
}

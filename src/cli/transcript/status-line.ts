import { cutTo } from "../print/screen-text.ts";
import { dim, type Text } from "../screen/styled.ts";
import type { Terminal } from "../terminal.ts";

/** The status line at the bottom: who works, and for how long. Only on terminals that can move the cursor. */
export interface StatusLine {
  /** Null hides it. */
  readonly set: (status: Working | null) => void;
  /** Prints text above the line. */
  readonly print: (line: Text) => void;
  readonly close: () => void;
}

/** What is under way, and since when. */
export interface Working {
  readonly text: string;
  readonly sinceMs: number;
  /** The last lines of a running tool's output. */
  readonly last?: readonly string[];
}

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;
export const FRAME_MS = 100;

export function createStatusLine(terminal: Terminal): StatusLine {
  const bottom = plainBottom(terminal);
  let status: Working | null = null;
  let frame = 0;
  const draw = (): void => {
    bottom.draw(status === null ? "" : workingLine(status, frame, terminal.columns - 2));
  };
  const timer = setInterval(() => {
    frame += 1;
    if (status !== null) draw();
  }, FRAME_MS);
  timer.unref();
  return {
    set: (next) => {
      status = next;
      draw();
    },
    print: (line) => {
      bottom.clear();
      terminal.print(line);
      draw();
    },
    close: () => {
      clearInterval(timer);
      bottom.clear();
    },
  };
}

interface Bottom {
  readonly draw: (text: string) => void;
  readonly clear: () => void;
}

function plainBottom(terminal: Terminal): Bottom {
  let shown = "";
  return {
    draw: (text) => {
      if (text === "" && shown === "") return;
      shown = text;
      terminal.drawLine(dim(text));
    },
    clear: () => {
      if (shown !== "") terminal.drawLine("");
      shown = "";
    },
  };
}

/** `⠹ npm test 12 s`: the time stays visible, however long the text is. */
export function workingLine({ text, sinceMs }: Working, frame: number, columns: number): string {
  const passed = seconds(sinceMs);
  return `${FRAMES[frame % FRAMES.length]} ${cutTo(text, columns - passed.length - 3)} ${passed}`.trimEnd();
}

function seconds(sinceMs: number): string {
  const passed = Math.floor((Date.now() - sinceMs) / 1000);
  return passed < 1 ? "" : `${passed} s`;
}

import { dim, type Text } from "../screen/styled.ts";
import type { Terminal } from "../terminal.ts";
import { cutTo } from "./screen-text.ts";

/** The status line at the bottom: who works, and for how long. Only on terminals that can move the cursor. */
export interface StatusLine {
  /** Null hides it. */
  readonly set: (status: Status | null) => void;
  /** Prints text above the line. */
  readonly print: (line: Text) => void;
  readonly close: () => void;
}

export interface Status {
  readonly text: string;
  readonly sinceMs: number;
}

/** Draws the bottom line; an attached conversation draws its input there. */
export interface Bottom {
  readonly draw: (text: string) => void;
  readonly clear: () => void;
}

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;
const FRAME_MS = 100;

export function createStatusLine(terminal: Terminal, bottom: Bottom = plainBottom(terminal)): StatusLine {
  let status: Status | null = null;
  let frame = 0;
  const draw = (): void => {
    const text = status === null ? "" : `${FRAMES[frame % FRAMES.length]} ${status.text} ${seconds(status.sinceMs)}`;
    bottom.draw(cutTo(text, terminal.columns - 2));
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

function seconds(sinceMs: number): string {
  const passed = Math.floor((Date.now() - sinceMs) / 1000);
  return passed < 1 ? "" : `${passed} s`;
}

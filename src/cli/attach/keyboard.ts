import { clearScreenDown, createInterface, cursorTo, moveCursor } from "node:readline";
import type { Bottom } from "../print/status-line.ts";
import { dim } from "../screen/styled.ts";
import type { Terminal } from "../terminal.ts";

/** Source of input lines: a person at a terminal, with line editing below the output, or a pipe. */
export interface Keyboard {
  readonly onLine: (hear: (line: string) => void) => void;
  /** Ctrl-D, or the end of the pipe. */
  readonly onEnd: (hear: () => void) => void;
  /** Ctrl-C, or the signal. */
  readonly onInterrupt: (hear: () => void) => void;
  /** The line being typed, drawn at the bottom of the screen; null when there is no terminal. */
  readonly bottom: Bottom | null;
  readonly close: () => void;
}

export function openKeyboard(terminal: Terminal): Keyboard {
  return terminal.isKeyboard() && terminal.hasCursor ? typedKeyboard(terminal) : pipedKeyboard();
}

const PROMPT = "> ";

function typedKeyboard(terminal: Terminal): Keyboard {
  const { stdin } = process;
  const stdout = terminal.rawOutput;
  const lines = createInterface({ input: stdin, output: stdout, terminal: true, prompt: PROMPT });
  let isOpen = true;
  let above = "";
  const erase = (): void => {
    const { rows } = lines.getCursorPos();
    // The input may span several rows, and the status line is in the row above it.
    moveCursor(stdout, 0, -(rows + (above === "" ? 0 : 1)));
    cursorTo(stdout, 0);
    clearScreenDown(stdout);
    above = "";
  };
  const bottom: Bottom = {
    clear: () => {
      if (isOpen) erase();
    },
    draw: (text) => {
      if (!isOpen) return;
      erase();
      above = text;
      if (text !== "") terminal.print(dim(text));
      lines.prompt(true);
    },
  };
  lines.prompt();
  return {
    bottom,
    onLine: (hear) =>
      void lines.on("line", (line) => {
        // The typed text is now a line above, and the new input has no status line yet.
        above = "";
        hear(line);
      }),
    onEnd: (hear) =>
      void lines.on("close", () => {
        isOpen = false;
        stdout.write("\n");
        hear();
      }),
    onInterrupt: (hear) => void lines.on("SIGINT", hear),
    close: () => {
      lines.close();
      stdin.unref?.();
    },
  };
}

function pipedKeyboard(): Keyboard {
  const { stdin } = process;
  const lines = createInterface({ input: stdin, terminal: false });
  let interrupt: () => void = () => undefined;
  return {
    bottom: null,
    onLine: (hear) => void lines.on("line", hear),
    onEnd: (hear) => void lines.on("close", hear),
    onInterrupt: (hear) => {
      interrupt = hear;
      process.on("SIGINT", interrupt);
    },
    close: () => {
      process.off("SIGINT", interrupt);
      lines.close();
      stdin.unref?.();
    },
  };
}

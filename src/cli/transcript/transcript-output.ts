import type { Text } from "../screen/styled.ts";
import type { Terminal } from "../terminal.ts";
import { createStatusLine, type Working } from "./status-line.ts";

/** Where a transcript goes: lines that stay, and one line about the work under way. */
export interface TranscriptOutput {
  readonly print: (lines: readonly Text[]) => void;
  /** Null when nothing is under way. `tools` are the calls that run at the moment. */
  readonly working: (status: Working | null, tools?: readonly Working[]) => void;
  readonly close: () => void;
}

/** A terminal without an input line: only the status stands at the bottom. */
export function plainOutput(terminal: Terminal): TranscriptOutput {
  const status = createStatusLine(terminal);
  return {
    print: (lines) => {
      for (const line of lines) status.print(line);
    },
    working: (working, tools) => status.set(tools?.at(-1) ?? working),
    close: status.close,
  };
}
